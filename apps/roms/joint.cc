#include "joint.h"

#include <fcl/fcl.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace roms {
namespace {

using Model = fcl::BVHModel<fcl::OBBRSSd>;
using fcl::Vector3d;

constexpr double degree = std::numbers::pi / 180;

std::unique_ptr<Model> model_of(const Mesh& mesh) {
  std::vector<Vector3d> points;
  for (const Point& p : mesh.points) points.emplace_back(p[0], p[1], p[2]);
  std::vector<fcl::Triangle> triangles;
  for (const auto& t : mesh.triangles) triangles.emplace_back(t[0], t[1], t[2]);
  auto model = std::make_unique<Model>();
  model->beginModel(static_cast<int>(triangles.size()), static_cast<int>(points.size()));
  model->addSubModel(points, triangles);
  model->endModel();
  return model;
}

// The rotation that turns +z to `direction`.
fcl::Matrix3d turn_z_to(const Vector3d& direction) {
  return fcl::Quaterniond::FromTwoVectors(Vector3d::UnitZ(), direction).toRotationMatrix();
}

fcl::Matrix3d about(const Vector3d& axis, double degrees) {
  return fcl::AngleAxisd(degrees * degree, axis).toRotationMatrix();
}

fcl::Matrix3d matrix(const Rotation& r) {
  return about(Vector3d::UnitZ(), r.turn) * about(Vector3d::UnitY(), r.abduction) *
         about(Vector3d::UnitX(), r.flexion);
}

}  // namespace

struct Joint::Models {
  std::unique_ptr<Model> femur;
  std::unique_ptr<Model> cup;
  fcl::Matrix3d neck;  // turns +z of the femur's mesh to the direction of the neck
  fcl::Transform3d opening = fcl::Transform3d::Identity();
};

Joint::Joint(const Femur& femur, const Cup& cup, const Stance& stance, int segments)
    : models_(std::make_unique<Models>()) {
  models_->femur = model_of(make_femur(femur, segments));
  models_->cup = model_of(make_cup(cup, segments));
  const double neck = (180 - stance.neck_shaft) * degree;  // angle from straight down
  models_->neck = turn_z_to({std::sin(neck), 0, -std::cos(neck)});
  const double side = stance.inclination * degree;
  const double front = stance.anteversion * degree;
  models_->opening.linear() =
      turn_z_to({std::sin(side) * std::cos(front), std::sin(front), -std::cos(side) * std::cos(front)});
}

Joint::~Joint() = default;

bool Joint::collides(const Rotation& rotation) const {
  fcl::Transform3d pose = fcl::Transform3d::Identity();
  pose.linear() = matrix(rotation) * models_->neck;
  const fcl::CollisionRequestd request(1, false);  // search for one contact only
  fcl::CollisionResultd result;
  fcl::collide(models_->femur.get(), pose, models_->cup.get(), models_->opening, request, result);
  return result.isCollision();
}

int Joint::triangles() const { return models_->femur->num_tris + models_->cup->num_tris; }

double Joint::angle(const Rotation& rotation) const {
  const Vector3d neck = matrix(rotation) * models_->neck * Vector3d::UnitZ();
  const double cosine = neck.dot(models_->opening.linear() * Vector3d::UnitZ());
  return std::acos(std::clamp(cosine, -1.0, 1.0)) / degree;
}

}  // namespace roms
