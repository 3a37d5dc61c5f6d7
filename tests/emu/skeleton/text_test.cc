// The text of a skeleton.
#include "skeleton/program/text.h"

#include <gtest/gtest.h>

#include <string>

#include "ranks.h"
#include "skeleton/generate/generate.h"
#include "skeleton/program/scale.h"

namespace emu::skeleton {
namespace {

TEST(SkeletonText, SoManyTimesThatNobodyCountsThem) {
  std::string text = "skeleton 1\nranks 1\nseconds 1\nevents 4\n";
  for (int i = 0; i < 60; ++i) text += "loop 4e9\n";
  text += "barrier work=1 classes=0.5/0.5/0.5/0.5/1.5/1.5/1.5/1.5/1.5/1.5/1.5 times=4\n";
  for (int i = 0; i <= 60; ++i) text += "end\n";
  const auto skeleton = parse_text(text, "text");
  ASSERT_TRUE(skeleton) << skeleton.error().message;
  const auto program = c_program(*skeleton, scale_down(*skeleton, 1));
  ASSERT_TRUE(program);
  EXPECT_NE(program->find("turns_1 = {64, 0, {0}}"), std::string::npos);
}

TEST(SkeletonText, CutOffIsRefused) {
  const std::string text =
      "skeleton 1\nranks 1\nseconds 1\nevents 8\nbarrier work=1 times=1\nloop 3\n  loop 2\n    barrier "
      "times=6\n"
      "  end\nend\nbarrier times=1\nend\n";
  ASSERT_TRUE(parse_text(text, "text"));
  for (std::size_t end = text.find('\n'); end + 1 < text.size(); end = text.find('\n', end + 1))
    EXPECT_FALSE(parse_text(text.substr(0, end + 1), "text")) << text.substr(0, end + 1);
  const auto cut = parse_text(text.substr(0, text.rfind("end")), "text");
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().message, "text:11: the last line, end, is missing; was the file cut off?");
  const auto more = parse_text(text + "# a comment\nbarrier times=1\n", "text");
  ASSERT_FALSE(more);
  EXPECT_NE(more.error().message.find("text:14: unexpected text after the end of the skeleton"),
            std::string::npos);
}

TEST(SkeletonText, IsTheSameSkeleton) {
  Ranks ranks(3);
  for (int rank = 0; rank < 3; ++rank) {
    for (int i = 0; i < 30; ++i) {
      ranks.add(rank, message(Function::isend, (rank + 1) % 3, 7, 100 + rank), 1e-3 * rank);
      ranks.add(rank, message(Function::recv, (rank + 2) % 3, 7));
      ranks.add(rank, wait({0}));
    }
    ranks.add(rank, all(Function::barrier));
  }
  const Skeleton skeleton = ranks.compressed().skeleton;
  const std::string text = to_text(skeleton);
  const auto again = parse_text(text, "text");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(to_text(*again), text);
  EXPECT_EQ(*c_program(skeleton, scale_down(skeleton, 5)), *c_program(*again, scale_down(*again, 5)));
}

}  // namespace
}  // namespace emu::skeleton
