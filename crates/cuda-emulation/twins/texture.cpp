// Twins of textures and of the inputs of materials.
#include "texture/inputs.h"
#include "twin.h"

using namespace raywarp::render;

namespace {

TexturePoint point(Reader& in) { return TexturePoint{{in.vec2(), in.vec2()}, in.vec4()}; }

}  // namespace

TWIN(texture_look_up) {
    const ImageRecord image = load(scene.images, in.word());
    const Vec2 uv = in.vec2();
    const auto wrap_x = static_cast<Wrapping>(in.word()), wrap_y = static_cast<Wrapping>(in.word());
    out.put(look_up(scene, image, uv, wrap_x, wrap_y, static_cast<ImageLookup>(in.word())));
}

TWIN(texture_value) {
    const u32 program = in.word();
    out.put(value(scene, program, point(in)));
}

TWIN(texture_input) {
    const Input input = load(scene.inputs, in.word());
    const TexturePoint at = point(in);
    out.put(color(scene, input, at));
    out.put(scalar(scene, input, at));
}

TWIN(texture_inputs) {
    const MaterialRecord material = load(scene.materials, in.word());
    const u32 number = in.word(), roughness = in.word();
    const float lowest = in.number();
    const TexturePoint at = point(in);
    const Inputs inputs = {scene, material, at, Scattering::Multiple};
    out.put(inputs.color(number));
    out.put(inputs.share(number));
    out.put(inputs.scalar(number));
    out.put(inputs.fraction(number));
    out.put(inputs.numbers(number));
    out.put(inputs.is_thin());
    out.put(roughness == NONE ? Vec2::splat(0.0f) : inputs.alpha(roughness, lowest));
}
