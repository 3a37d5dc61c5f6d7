/* A few spheres above a plane, drawn by Tachyon: its ranks share the rows of the picture.
 * Usage: tachyon PICTURE */
#include <stdio.h>
#include <tachyon.h>

/* NOLINTBEGIN: the interface is Tachyon's. */
int main(int argc, char** argv) {
  const int rank = rt_initialize(&argc, &argv);
  SceneHandle scene = rt_newscene();
  rt_outputfile(scene, argc > 1 ? argv[1] : "picture.ppm");
  rt_outputformat(scene, RT_FORMAT_PPM);
  rt_resolution(scene, 64, 48);
  rt_verbose(scene, 0);
  rt_set_numthreads(scene, 1);
  rt_camera_projection(scene, RT_PROJECTION_PERSPECTIVE);
  rt_camera_raydepth(scene, 4);
  rt_camera_zoom(scene, 1.0);
  rt_aspectratio(scene, 1.0f);
  rt_camera_position(scene, rt_vector(0, 2, -8), rt_vector(0, -0.1, 1), rt_vector(0, 1, 0));
  rt_background(scene, rt_color(0.1, 0.1, 0.3));

  apitexture look = {0};
  look.texturefunc = RT_TEXTURE_CONSTANT;
  look.col = rt_color(1, 1, 1);
  look.ambient = 0.1f;
  look.diffuse = 0.7f;
  look.specular = 0.4f;
  look.opacity = 1;
  void* white = rt_texture(scene, &look);
  look.col = rt_color(0.9, 0.2, 0.1);
  void* red = rt_texture(scene, &look);
  rt_light(scene, white, rt_vector(5, 8, -6), 0.1);
  rt_plane(scene, white, rt_vector(0, -1, 0), rt_vector(0, 1, 0));
  for (int i = 0; i < 5; ++i)
    rt_sphere(scene, i % 2 ? white : red, rt_vector(1.5 * i - 3, 0.3 * i, 0.5 * i), 0.9);

  rt_renderscene(scene);
  if (rank == 0) printf("drawn\n");
  rt_deletescene(scene);
  rt_finalize();
  return 0;
}
/* NOLINTEND */
