//! Every parameter that the documentation of pbrt's versions has: each changes the scene, is warned about once, or is
//! on the list of those that cannot change a picture ([`IGNORED`], with a reason each).
//!
//! A line of [`TABLE`] is the version, where the directive stands, the directive and its parameters with values other
//! than the defaults; behind `=>` is what the scene without the parameter has in its place. `all` marks directives that
//! are replaced or left out as a whole: their own warning covers their parameters.

use super::super::ignored::IGNORED;
use super::files::{PLY, folder_of, load_in, png};
use super::*;
use raywarp_testing::Folder;

const TABLE: &str = r#"
4 pre | Film "rgb" | "integer xresolution" 7; "integer yresolution" 7; "string filename" "a.exr"; "integer pixelbounds" [0 4 0 4]; "float cropwindow" [0 .5 0 .5]; "float diagonal" 10; "float iso" 200; "float whitebalance" 5000; "string sensor" "canon_eos_100d"; "float maxcomponentvalue" 3; "bool savefp16" false
4 pre | Film "gbuffer" | "integer xresolution" 7; "float maxcomponentvalue" 3; "bool savefp16" false; "string coordinatesystem" "world"
4 pre | Film "spectral" | "integer xresolution" 7; "float maxcomponentvalue" 3; "integer nbuckets" 4; "float lambdamin" 400; "float lambdamax" 700; "bool savefp16" false
3 pre | Film "image" | "integer xresolution" 7; "integer yresolution" 7; "string filename" "a.exr"; "float cropwindow" [0 .5 0 .5]; "float scale" 2; "float diagonal" 10; "float maxsampleluminance" 3
4 pre | Camera "perspective" | "float shutteropen" .5; "float shutterclose" .5; "float frameaspectratio" 2; "float screenwindow" [-1 1 -2 2]; "float lensradius" .1; "float focaldistance" 3; "float fov" 30
3 pre | Camera "perspective" | "float frameaspectratio" 2; "float screenwindow" [-1 1 -2 2]; "float lensradius" .1; "float focaldistance" 3; "float fov" 30; "float halffov" 20
4 pre | Camera "orthographic" | "float shutterclose" .5; "float frameaspectratio" 2; "float screenwindow" [-1 1 -2 2]; "float lensradius" .1; "float focaldistance" 3
3 pre | Camera "orthographic" | "float frameaspectratio" 2; "float screenwindow" [-1 1 -2 2]; "float lensradius" .1; "float focaldistance" 3
4 pre all | Camera "spherical" | "string mapping" "equirectangular"
3 pre all | Camera "environment" | "float frameaspectratio" 2; "float screenwindow" [-1 1 -2 2]
4 pre all | Camera "realistic" | "string lensfile" "a.dat"; "float aperturediameter" 3; "float focusdistance" 3; "string aperture" "star"
3 pre all | Camera "realistic" | "string lensfile" "a.dat"; "float aperturediameter" 3; "float focusdistance" 3; "bool simpleweighting" false
4 pre | Sampler "halton" | "integer pixelsamples" 7; "integer seed" 3; "string randomization" "none"
4 pre | Sampler "independent" | "integer pixelsamples" 7; "integer seed" 3
4 pre | Sampler "paddedsobol" | "integer pixelsamples" 7; "integer seed" 3; "string randomization" "none"
4 pre | Sampler "zsobol" | "integer pixelsamples" 7; "integer seed" 3; "string randomization" "none"
4 pre | Sampler "sobol" | "integer pixelsamples" 7; "integer seed" 3; "string randomization" "none"
4 pre | Sampler "pmj02bn" | "integer pixelsamples" 7; "integer seed" 3
4 pre | Sampler "stratified" | "integer xsamples" 7; "integer ysamples" 7; "bool jitter" false; "integer seed" 3
3 pre | Sampler "halton" | "integer pixelsamples" 7; "bool samplepixelcenter" true
3 pre | Sampler "maxmindist" | "integer pixelsamples" 7; "integer dimensions" 7
3 pre | Sampler "random" | "integer pixelsamples" 7
3 pre | Sampler "sobol" | "integer pixelsamples" 7
3 pre | Sampler "02sequence" | "integer pixelsamples" 7; "integer dimensions" 7
3 pre | Sampler "lowdiscrepancy" | "integer pixelsamples" 7; "integer dimensions" 7
3 pre | Sampler "stratified" | "integer xsamples" 7; "integer ysamples" 7; "bool jitter" false; "integer dimensions" 7
4 pre | Integrator "path" | "integer maxdepth" 7; "string lightsampler" "uniform"; "bool regularize" true
4 pre | Integrator "volpath" | "integer maxdepth" 7; "string lightsampler" "uniform"; "bool regularize" true
4 pre all | Integrator "simplepath" | "integer maxdepth" 7; "bool samplebsdf" false; "bool samplelights" false
4 pre all | Integrator "simplevolpath" | "integer maxdepth" 7
4 pre all | Integrator "lightpath" | "integer maxdepth" 7
4 pre all | Integrator "randomwalk" | "integer maxdepth" 7
4 pre all | Integrator "ambientocclusion" | "bool cossample" false; "float maxdistance" 7
4 pre all | Integrator "bdpt" | "integer maxdepth" 7; "bool visualizestrategies" true; "bool visualizeweights" true; "bool regularize" true
4 pre all | Integrator "mlt" | "integer maxdepth" 7; "integer bootstrapsamples" 7; "integer chains" 7; "integer mutationsperpixel" 7; "float largestepprobability" .5; "float sigma" .1; "bool regularize" true
4 pre all | Integrator "sppm" | "integer maxdepth" 7; "integer photonsperiteration" 7; "float radius" 7; "integer seed" 7; "bool regularize" true
4 pre all | Integrator "function" | "string function" "step"; "string filename" "a.txt"; "bool skipbad" false; "string imagefilename" "a.png"
3 pre | Integrator "path" | "integer maxdepth" 7; "integer pixelbounds" [0 4 0 4]; "float rrthreshold" 3; "string lightsamplestrategy" "power"
3 pre | Integrator "volpath" | "integer maxdepth" 7; "integer pixelbounds" [0 4 0 4]; "float rrthreshold" 3; "string lightsamplestrategy" "power"
3 pre all | Integrator "directlighting" | "integer maxdepth" 7; "integer pixelbounds" [0 4 0 4]; "string strategy" "one"
3 pre all | Integrator "whitted" | "integer maxdepth" 7; "integer pixelbounds" [0 4 0 4]
3 pre all | Integrator "ambientocclusion" | "integer pixelbounds" [0 4 0 4]; "bool cossample" false; "integer nsamples" 7
3 pre all | Integrator "bdpt" | "integer maxdepth" 7; "integer pixelbounds" [0 4 0 4]; "bool visualizestrategies" true; "bool visualizeweights" true; "string lightsamplestrategy" "power"
3 pre all | Integrator "mlt" | "integer maxdepth" 7; "integer bootstrapsamples" 7; "integer chains" 7; "integer mutationsperpixel" 7; "float largestepprobability" .5; "float sigma" .1
3 pre all | Integrator "sppm" | "integer maxdepth" 7; "integer iterations" 7; "integer numiterations" 7; "integer photonsperiteration" 7; "integer imagewritefrequency" 7; "float radius" 7
4 pre | Accelerator "bvh" | "string splitmethod" "hlbvh"; "integer maxnodeprims" 7
4 pre | Accelerator "kdtree" | "integer intersectcost" 7; "integer traversalcost" 7; "float emptybonus" .1; "integer maxprims" 7; "integer maxdepth" 7
3 pre | Accelerator "bvh" | "string splitmethod" "hlbvh"; "integer maxnodeprims" 7
3 pre | Accelerator "kdtree" | "integer intersectcost" 7; "integer traversalcost" 7; "float emptybonus" .1; "integer maxprims" 7; "integer maxdepth" 7
4 pre | PixelFilter "box" | "float xradius" 3 "float yradius" 3; "float yradius" 3
4 pre | PixelFilter "triangle" | "float xradius" 3 "float yradius" 3; "float yradius" 3
4 pre | PixelFilter "gaussian" | "float xradius" 3 "float yradius" 3; "float yradius" 3; "float sigma" .7
4 pre | PixelFilter "mitchell" | "float xradius" 3 "float yradius" 3; "float yradius" 3; "float B" .7; "float C" .7
4 pre all | PixelFilter "sinc" | "float xradius" 3; "float yradius" 3; "float tau" 2
3 pre | PixelFilter "box" | "float xwidth" 3 "float ywidth" 3; "float ywidth" 3
3 pre | PixelFilter "triangle" | "float xwidth" 3 "float ywidth" 3; "float ywidth" 3
3 pre | PixelFilter "gaussian" | "float xwidth" 3 "float ywidth" 3; "float ywidth" 3; "float alpha" 5
3 pre | PixelFilter "mitchell" | "float xwidth" 3 "float ywidth" 3; "float ywidth" 3; "float B" .7; "float C" .7
3 pre all | PixelFilter "sinc" | "float xwidth" 3; "float ywidth" 3; "float tau" 2
4 pre | Option | "bool disablepixeljitter" true; "bool disabletexturefiltering" true; "bool disablewavelengthjitter" true; "float displacementedgescale" 2; "string msereferenceimage" "a.exr"; "string msereferenceout" "a.txt"; "string rendercoordsys" "world"; "integer seed" 7; "bool forcediffuse" true; "bool pixelstats" true; "bool wavefront" true
4 world | LightSource "point" | "spectrum I" [300 1 800 2]; "rgb I" [1 2 3]; "blackbody I" 3000; "float scale" 2; "float power" 7; "point3 from" [1 2 3]
4 world | LightSource "spot" | "rgb I" [1 2 3]; "float scale" 2; "float power" 7; "point3 from" [1 2 3]; "point3 to" [1 2 3]; "float coneangle" 20; "float conedeltaangle" 3
4 world | LightSource "distant" | "rgb L" [1 2 3]; "float scale" 2; "float illuminance" 7; "point3 from" [1 2 3]; "point3 to" [1 2 3]
4 world | LightSource "infinite" | "rgb L" [1 2 3]; "float scale" 2; "float illuminance" 7; "string filename" "a.png"; "point3 portal" [0 0 0 1 0 0 1 1 0 0 1 0]
4 world | LightSource "infinite" "string filename" "a.png" | "float scale" 2; "float illuminance" 7
4 world all | LightSource "goniometric" | "rgb I" [1 2 3]; "float scale" 2; "float power" 7; "string filename" "a.png"
4 world all | LightSource "projection" | "float scale" 2; "float power" 7; "float fov" 30; "string filename" "a.png"
4 world | AreaLightSource "diffuse" | "rgb L" [1 2 3]; "float scale" 2; "float power" 7; "bool twosided" true; "string filename" "a.png"
3 world | LightSource "point" | "rgb I" [1 2 3]; "spectrum I" [300 1 800 2]; "blackbody I" [3000 2]; "rgb scale" [2 2 2]; "point from" [1 2 3]
3 world | LightSource "spot" | "rgb I" [1 2 3]; "rgb scale" [2 2 2]; "point from" [1 2 3]; "point to" [1 2 3]; "float coneangle" 20; "float conedeltaangle" 3
3 world | LightSource "distant" | "rgb L" [1 2 3]; "rgb scale" [2 2 2]; "point from" [1 2 3]; "point to" [1 2 3]
3 world | LightSource "infinite" | "rgb L" [1 2 3]; "rgb scale" [2 2 2]; "string mapname" "a.png"; "integer samples" 7; "integer nsamples" 7
3 world all | LightSource "goniometric" | "rgb I" [1 2 3]; "rgb scale" [2 2 2]; "string mapname" "a.png"
3 world all | LightSource "projection" | "rgb I" [1 2 3]; "rgb scale" [2 2 2]; "string mapname" "a.png"; "float fov" 30
3 world | AreaLightSource "diffuse" | "rgb L" [1 2 3]; "rgb scale" [2 2 2]; "bool twosided" true; "integer samples" 7; "integer nsamples" 7
4 world | Material "diffuse" | "rgb reflectance" [.1 .2 .3]; "texture displacement" "f"; "string normalmap" "a.png"
4 world | Material "coateddiffuse" | "rgb reflectance" [.1 .2 .3]; "float roughness" .1; "float uroughness" .1; "float vroughness" .1; "float roughness" .1 "bool remaproughness" false => "float roughness" .1; "float thickness" 7; "float eta" 1.3; "float g" .5; "rgb albedo" [.1 .2 .3]; "integer maxdepth" 7; "integer nsamples" 7; "texture displacement" "f"; "string normalmap" "a.png"
4 world | Material "conductor" | "spectrum eta" "metal-Ag-eta"; "rgb k" [1 2 3]; "rgb reflectance" [.1 .2 .3]; "float roughness" .1; "float uroughness" .1; "float vroughness" .1; "float roughness" .1 "bool remaproughness" false => "float roughness" .1; "texture displacement" "f"; "string normalmap" "a.png"
4 world | Material "coatedconductor" | "float interface.roughness" .1; "float interface.uroughness" .1; "float interface.vroughness" .1; "texture interface.roughness" "f"; "texture conductor.roughness" "f"; "float thickness" 7; "float interface.eta" 1.3; "float conductor.roughness" .1; "float conductor.uroughness" .1; "float conductor.vroughness" .1; "spectrum conductor.eta" "metal-Ag-eta"; "rgb conductor.k" [1 2 3]; "rgb reflectance" [.1 .2 .3]; "integer maxdepth" 7; "integer nsamples" 7; "float g" .5; "rgb albedo" [.1 .2 .3]; "float conductor.roughness" .1 "bool remaproughness" false => "float conductor.roughness" .1; "texture displacement" "f"; "string normalmap" "a.png"
4 world | Material "dielectric" | "float eta" 1.3; "spectrum eta" "glass-BK7"; "float roughness" .1; "float uroughness" .1; "float vroughness" .1; "float roughness" .1 "bool remaproughness" false => "float roughness" .1; "texture displacement" "f"; "string normalmap" "a.png"
4 world | Material "thindielectric" | "float eta" 1.3; "spectrum eta" "glass-BK7"; "texture displacement" "f"; "string normalmap" "a.png"
4 world | Material "diffusetransmission" | "rgb reflectance" [.1 .2 .3]; "rgb transmittance" [.1 .2 .3]; "float scale" .5; "texture displacement" "f"; "string normalmap" "a.png"
4 world | Material "mix" "string materials" ["m" "n"] | "float amount" .3; "texture amount" "f"; "string materials" ["n" "m"]
4 world all | Material "subsurface" | "string name" "Skin1"; "rgb sigma_a" [1 2 3]; "rgb sigma_s" [1 2 3]; "rgb reflectance" [.1 .2 .3]; "rgb mfp" [1 2 3]; "float scale" 2; "float eta" 1.4; "float g" .5; "float roughness" .1; "float uroughness" .1; "float vroughness" .1; "bool remaproughness" false; "texture displacement" "f"
4 world all | Material "hair" | "rgb sigma_a" [1 2 3]; "rgb reflectance" [.1 .2 .3]; "rgb color" [.1 .2 .3]; "float eumelanin" 1; "float pheomelanin" 1; "float eta" 1.3; "float beta_m" .1; "float beta_n" .1; "float alpha" 3
4 world all | Material "measured" | "string filename" "a.bsdf"; "texture displacement" "f"
4 world | Material "interface" | "texture displacement" "f"
3 world | Material "matte" | "rgb Kd" [.1 .2 .3]; "float sigma" 20; "texture bumpmap" "f"
3 world | Material "plastic" | "rgb Kd" [.1 .2 .3]; "rgb Ks" [.1 .2 .3]; "float roughness" .2; "bool remaproughness" false; "texture bumpmap" "f"
3 world | Material "metal" | "spectrum eta" [300 1 800 1]; "rgb k" [1 2 3]; "float roughness" .2; "float uroughness" .2; "float vroughness" .2; "bool remaproughness" false; "texture bumpmap" "f"
3 world | Material "glass" | "rgb Kr" [.1 .2 .3]; "rgb Kt" [.1 .2 .3]; "float eta" 1.3; "float index" 1.3; "float uroughness" .2; "float vroughness" .2; "float uroughness" .2 "bool remaproughness" false => "float uroughness" .2; "texture bumpmap" "f"
3 world | Material "mirror" | "rgb Kr" [.1 .2 .3]; "texture bumpmap" "f"
3 world | Material "substrate" | "rgb Kd" [.1 .2 .3]; "rgb Ks" [.1 .2 .3]; "float uroughness" .2; "float vroughness" .2; "bool remaproughness" false; "texture bumpmap" "f"
3 world | Material "uber" | "rgb Kd" [.1 .2 .3]; "rgb Ks" [.1 .2 .3]; "rgb Kr" [.1 .2 .3]; "rgb Kt" [.1 .2 .3]; "float roughness" .2; "float uroughness" .2; "float vroughness" .2; "float eta" 1.3; "float index" 1.3; "rgb opacity" [.1 .2 .3]; "bool remaproughness" false; "texture bumpmap" "f"
3 world | Material "translucent" | "rgb Kd" [.1 .2 .3]; "rgb Ks" [0 0 0]; "rgb reflect" [.1 .2 .3]; "rgb transmit" [.1 .2 .3]; "float roughness" .2; "bool remaproughness" false; "texture bumpmap" "f"
3 world | Material "mix" "string namedmaterial1" "m" "string namedmaterial2" "n" | "rgb amount" [.1 .2 .3]; "string namedmaterial1" "n"; "string namedmaterial2" "m"
3 world | Material "disney" | "rgb color" [.1 .2 .3]; "float metallic" .3; "float eta" 1.3; "float roughness" .2; "float speculartint" .3; "float anisotropic" .3; "float sheen" .3; "float sheentint" .3; "float clearcoat" .3; "float clearcoat" .3 "float clearcoatgloss" .3 => "float clearcoat" .3; "float spectrans" .3; "rgb scatterdistance" [1 2 3]; "bool thin" true; "float flatness" .3; "float difftrans" .3; "texture bumpmap" "f"
3 world all | Material "subsurface" | "string name" "Skin1"; "rgb sigma_a" [1 2 3]; "rgb sigma_prime_s" [1 2 3]; "float scale" 2; "float eta" 1.4; "float g" .5; "rgb Kr" [.1 .2 .3]; "rgb Kt" [.1 .2 .3]; "float uroughness" .1; "float vroughness" .1; "bool remaproughness" false; "texture bumpmap" "f"
3 world all | Material "kdsubsurface" | "rgb Kd" [.1 .2 .3]; "rgb mfp" [1 2 3]; "float eta" 1.4; "float scale" 2; "float g" .5; "rgb Kr" [.1 .2 .3]; "rgb Kt" [.1 .2 .3]; "float uroughness" .1; "float vroughness" .1; "bool remaproughness" false; "texture bumpmap" "f"
3 world all | Material "hair" | "rgb sigma_a" [1 2 3]; "rgb color" [.1 .2 .3]; "float eumelanin" 1; "float pheomelanin" 1; "float eta" 1.3; "float beta_m" .1; "float beta_n" .1; "float alpha" 3
3 world all | Material "fourier" | "string bsdffile" "a.bsdf"; "texture bumpmap" "f"
4 spectrum | constant | "rgb value" [.1 .2 .3]
4 float | constant | "float value" .3
4 spectrum | imagemap "string filename" "a.png" | "string filename" "b.png"; "float scale" .5; "bool invert" true; "string wrap" "clamp"; "string filter" "point"; "float maxanisotropy" 3; "string encoding" "linear"; "string encoding" "gamma 2"; "string mapping" "planar"; "float uscale" 2; "float vscale" 2; "float udelta" .3; "float vdelta" .3; "string mapping" "planar" "vector3 v1" [1 2 3]; "string mapping" "planar" "vector3 v2" [1 2 3]; "string mapping" "spherical"; "string mapping" "cylindrical"
4 float | imagemap "string filename" "a.png" | "float scale" .5; "bool invert" true; "string wrap" "clamp"; "string filter" "point"; "float maxanisotropy" 3; "string encoding" "linear"; "float uscale" 2
4 spectrum | checkerboard | "rgb tex1" [.1 .2 .3]; "rgb tex2" [.1 .2 .3]; "integer dimension" 3; "string mapping" "planar"; "float uscale" 2; "float vscale" 2; "float udelta" .3; "float vdelta" .3
4 float | checkerboard | "float tex1" .3; "float tex2" .3; "integer dimension" 3
4 spectrum | mix | "rgb tex1" [.1 .2 .3]; "rgb tex2" [.1 .2 .3]; "float amount" .3
4 float | mix | "float tex1" .3; "float tex2" .3; "float amount" .3
4 spectrum | scale | "rgb tex" [.1 .2 .3]; "float scale" .3
4 float | scale | "float tex" .3; "float scale" .3
4 spectrum all | bilerp | "rgb v00" [.1 .2 .3]; "rgb v01" [.1 .2 .3]; "rgb v10" [.1 .2 .3]; "rgb v11" [.1 .2 .3]; "float uscale" 2
4 spectrum all | directionmix | "rgb tex1" [.1 .2 .3]; "rgb tex2" [.1 .2 .3]; "vector3 dir" [1 2 3]
4 spectrum all | dots | "rgb inside" [.1 .2 .3]; "rgb outside" [.1 .2 .3]
4 float all | fbm | "integer octaves" 3; "float roughness" .3
4 float all | wrinkled | "integer octaves" 3; "float roughness" .3
4 float all | windy |
4 spectrum all | marble | "integer octaves" 3; "float roughness" .3; "float scale" 2; "float variation" .3
4 spectrum all | ptex | "string filename" "a.ptx"; "string encoding" "linear"; "float scale" 2
3 spectrum | constant | "rgb value" [.1 .2 .3]
3 float | constant | "float value" .3
3 spectrum | imagemap "string filename" "a.png" | "string filename" "b.png"; "float scale" .5; "string wrap" "clamp"; "float maxanisotropy" 3; "bool trilinear" true; "bool gamma" false; "string mapping" "planar" "vector v1" [1 2 3]; "string mapping" "planar" "vector v2" [1 2 3]; "float uscale" 2; "float vscale" 2; "float udelta" .3; "float vdelta" .3
3 float | imagemap "string filename" "a.png" | "float scale" .5; "string wrap" "clamp"; "float maxanisotropy" 3; "bool trilinear" true; "bool gamma" false
3 spectrum | checkerboard | "rgb tex1" [.1 .2 .3]; "rgb tex2" [.1 .2 .3]; "integer dimension" 3; "string aamode" "none"; "float uscale" 2; "float vscale" 2; "float udelta" .3; "float vdelta" .3
3 float | checkerboard | "float tex1" .3; "float tex2" .3; "integer dimension" 3; "string aamode" "none"
3 spectrum | mix | "rgb tex1" [.1 .2 .3]; "rgb tex2" [.1 .2 .3]; "float amount" .3
3 float | mix | "float tex1" .3; "float tex2" .3; "float amount" .3
3 spectrum | scale | "rgb tex1" [.1 .2 .3]; "rgb tex2" [.1 .2 .3]
3 float | scale | "float tex1" .3; "float tex2" .3
3 spectrum all | bilerp | "rgb v00" [.1 .2 .3]; "rgb v01" [.1 .2 .3]; "rgb v10" [.1 .2 .3]; "rgb v11" [.1 .2 .3]
3 spectrum all | uv | "float uscale" 2; "string mapping" "planar"
3 spectrum all | dots | "rgb inside" [.1 .2 .3]; "rgb outside" [.1 .2 .3]
3 float all | fbm | "integer octaves" 3; "float roughness" .3
3 float all | wrinkled | "integer octaves" 3; "float roughness" .3
3 float all | windy |
3 spectrum all | marble | "integer octaves" 3; "float roughness" .3; "float scale" 2; "float variation" .3
3 spectrum all | ptex | "string filename" "a.ptx"; "float gamma" 2
4 world | Shape "trianglemesh" | "point3 P" [0 0 0 1 0 0 0 2 0] => "point3 P" [0 0 0 1 0 0 0 1 0]; "point3 P" [0 0 0 1 0 0 0 1 0] "integer indices" [0 2 1] => "point3 P" [0 0 0 1 0 0 0 1 0]; "point3 P" [0 0 0 1 0 0 0 1 0] "point2 uv" [0 0 1 0 .5 1] => "point3 P" [0 0 0 1 0 0 0 1 0]; "point3 P" [0 0 0 1 0 0 0 1 0] "normal N" [0 1 1 0 1 1 0 1 1] => "point3 P" [0 0 0 1 0 0 0 1 0]; "point3 P" [0 0 0 1 0 0 0 1 0] "vector3 S" [1 0 0 1 0 0 1 0 0] => "point3 P" [0 0 0 1 0 0 0 1 0]; "point3 P" [0 0 0 1 0 0 0 1 0] "integer faceIndices" 3 => "point3 P" [0 0 0 1 0 0 0 1 0]; "point3 P" [0 0 0 1 0 0 0 1 0] "float alpha" .3 => "point3 P" [0 0 0 1 0 0 0 1 0]; "point3 P" [0 0 0 1 0 0 0 1 0] "texture alpha" "f" => "point3 P" [0 0 0 1 0 0 0 1 0]
3 world | Shape "trianglemesh" "point P" [0 0 0 1 0 0 0 1 0] | "integer indices" [0 2 1]; "point2 uv" [0 0 1 0 .5 1]; "float uv" [0 0 1 0 .5 1]; "float st" [0 0 1 0 .5 1]; "point2 st" [0 0 1 0 .5 1]; "normal N" [0 1 1 0 1 1 0 1 1]; "vector S" [1 0 0 1 0 0 1 0 0]; "integer faceIndices" 3; "bool discarddegenerateUVs" true; "float alpha" 0; "texture alpha" "f"; "float shadowalpha" 0; "texture shadowalpha" "f"
4 world | Shape "bilinearmesh" "point3 P" [0 0 0 1 0 0 0 1 0 1 1 0] | "integer indices" [0 2 1 3]; "point2 uv" [0 0 1 0 .5 1 .5 .5]; "normal N" [0 1 1 0 1 1 0 1 1 0 1 1]; "integer faceIndices" 3; "string emissionfilename" "a.png"; "float alpha" .3
4 world | Shape "plymesh" "string filename" "a.ply" | "string filename" "b.ply"; "texture displacement" "f"; "float edgelength" 2; "float alpha" .3
3 world | Shape "plymesh" "string filename" "a.ply" | "string filename" "b.ply"; "texture alpha" "f"; "float shadowalpha" 0
4 world | Shape "loopsubdiv" "point3 P" [0 0 0 1 0 0 0 1 0] "integer indices" [0 1 2] | "integer levels" 1; "string scheme" "catmark"; "point3 P" [0 0 0 1 0 0 0 2 0]; "integer indices" [0 2 1]; "float alpha" .3
3 world | Shape "loopsubdiv" "point P" [0 0 0 1 0 0 0 1 0] "integer indices" [0 1 2] | "integer nlevels" 1; "integer levels" 1; "string scheme" "catmark"
4 world | Shape "sphere" | "float radius" 2; "float zmin" 0; "float zmax" 0; "float phimax" 90; "float alpha" .3; "texture alpha" "f"
4 world | Shape "cylinder" | "float radius" 2; "float zmin" 0; "float zmax" 0; "float phimax" 90; "float alpha" .3
4 world | Shape "disk" | "float radius" 2; "float height" 2; "float innerradius" .5; "float phimax" 90; "float alpha" .3
3 world | Shape "sphere" | "float radius" 2; "float zmin" 0; "float zmax" 0; "float phimax" 90
3 world | Shape "cylinder" | "float radius" 2; "float zmin" 0; "float zmax" 0; "float phimax" 90
3 world | Shape "disk" | "float radius" 2; "float height" 2; "float innerradius" .5; "float phimax" 90
3 world | Shape "cone" | "float radius" 2; "float height" 2; "float phimax" 90
3 world | Shape "paraboloid" | "float radius" 2; "float zmin" .5; "float zmax" 2; "float phimax" 90
3 world all | Shape "hyperboloid" | "point p1" [1 2 3]; "point p2" [1 2 3]; "float phimax" 90
3 world all | Shape "heightfield" | "integer nu" 2; "integer nv" 2; "float Pz" [0 0 0 0]
3 world all | Shape "nurbs" | "integer nu" 2; "integer nv" 2; "integer uorder" 2; "integer vorder" 2; "float uknots" [0 1]; "float vknots" [0 1]; "float u0" 0; "float v0" 0; "float u1" 1; "float v1" 1; "point P" [0 0 0]; "float Pw" [0 0 0 1]
3 world all | Shape "curve" | "point P" [0 0 0 1 0 0 1 1 0 0 1 0]; "string type" "ribbon"; "string basis" "bspline"; "integer degree" 2; "normal N" [0 0 1 0 0 1]; "float width" 2; "float width0" 2; "float width1" 2; "integer splitdepth" 2
4 world all | Shape "curve" | "point3 P" [0 0 0 1 0 0 1 1 0 0 1 0]; "string type" "ribbon"; "string basis" "bspline"; "integer degree" 2; "normal N" [0 0 1 0 0 1]; "float width" 2; "float width0" 2; "float width1" 2; "integer splitdepth" 2
4 medium | "string type" "homogeneous" | "rgb sigma_a" [.1 .2 .3]; "rgb sigma_s" [0 0 0]; "float scale" 2; "float g" .5; "string preset" "Wholemilk"; "rgb Le" [1 2 3]; "float Lescale" 2
3 medium | "string type" "homogeneous" | "rgb sigma_a" [.1 .2 .3]; "rgb sigma_s" [0 0 0]; "float scale" 2; "float g" .5; "string preset" "Wholemilk"
4 medium all | "string type" "uniformgrid" | "float density" [1 2]; "float temperature" [1 2]; "integer nx" 2; "integer ny" 2; "integer nz" 2; "rgb Le" [1 2 3]; "float Lescale" 2; "point3 p0" [1 2 3]; "point3 p1" [1 2 3]; "float g" .5; "rgb sigma_a" [1 2 3]; "rgb sigma_s" [1 2 3]; "float scale" 2; "float temperatureoffset" 2; "float temperaturecutoff" 2; "float temperaturescale" 2
4 medium all | "string type" "rgbgrid" | "rgb sigma_a" [1 2 3]; "rgb sigma_s" [1 2 3]; "rgb Le" [1 2 3]; "integer nx" 2; "integer ny" 2; "integer nz" 2; "point3 p0" [1 2 3]; "point3 p1" [1 2 3]; "float Lescale" 2; "float g" .5; "float scale" 2
4 medium all | "string type" "cloud" | "float density" 2; "float g" .5; "float wispiness" 2; "float frequency" 2; "rgb sigma_a" [1 2 3]; "rgb sigma_s" [1 2 3]; "point3 p0" [1 2 3]; "point3 p1" [1 2 3]
4 medium all | "string type" "nanovdb" | "string filename" "a.nvdb"; "string gridname" "x"; "string temperaturename" "x"; "float Lescale" 2; "float temperatureoffset" 2; "float temperaturecutoff" 2; "float temperaturescale" 2; "float g" .5; "rgb sigma_a" [1 2 3]; "rgb sigma_s" [1 2 3]; "float scale" 2
3 medium all | "string type" "heterogeneous" | "float density" [1 2]; "integer nx" 2; "integer ny" 2; "integer nz" 2; "point p0" [1 2 3]; "point p1" [1 2 3]; "float g" .5; "rgb sigma_a" [1 2 3]; "rgb sigma_s" [1 2 3]; "float scale" 2
"#;

/// Row of the test's table: a directive with its parameters.
struct Row<'a> {
    v4: bool,
    place: &'a str,
    /// `true` if the directive is replaced as a whole.
    is_replaced: bool,
    directive: &'a str,
    /// Pairs of texts with and without each parameter.
    parameters: Vec<[&'a str; 2]>,
}

impl<'a> Row<'a> {
    fn parse(line: &'a str) -> Self {
        let [head, directive, parameters] = <[&str; 3]>::try_from(line.split('|').collect::<Vec<_>>()).expect(line);
        let head: Vec<&str> = head.split_ascii_whitespace().collect();
        let parameters = parameters.split(';').map(str::trim).filter(|text| !text.is_empty());
        let pair = |text: &'a str| text.split_once(" => ").map_or([text, ""], |(with, without)| [with, without]);
        Self {
            v4: head[0] == "4",
            place: head[1],
            is_replaced: head.get(2) == Some(&"all"),
            directive: directive.trim(),
            parameters: parameters.map(pair).collect(),
        }
    }

    /// Returns the scene with `parameters` behind the directive.
    fn scene(&self, parameters: &str) -> String {
        let Self { directive, .. } = self;
        let (start, end) = if self.v4 { ("ColorSpace \"srgb\"", "") } else { ("", "WorldEnd") };
        let (diffuse, color) = if self.v4 { ("diffuse", "reflectance") } else { ("matte", "Kd") };
        let metal = if self.v4 { "conductor" } else { "metal" };
        let named = ["m", "n"]
            .map(|name| format!("MakeNamedMaterial \"{name}\" \"string type\" \"{metal}\" \"rgb k\" [1 2 3]"));
        let [pre, world] = match self.place {
            "pre" => [format!("{directive} {parameters}"), String::new()],
            "spectrum" | "float" => {
                let (class, own) = directive.split_once(' ').unwrap_or((directive, ""));
                let texture = format!("Texture \"t\" \"{}\" \"{class}\" {own} {parameters}", self.place);
                let user = match self.place {
                    "float" => format!("Material \"{metal}\" \"texture roughness\" \"t\""),
                    _ => format!("Material \"{diffuse}\" \"texture {color}\" \"t\""),
                };
                [String::new(), format!("{texture} {user}")]
            }
            "medium" => {
                let medium = format!("MakeNamedMedium \"m\" {directive} {parameters} MediumInterface \"m\" \"\"");
                [String::new(), medium]
            }
            _ => [String::new(), format!("{directive} {parameters}")],
        };
        let texture = "Texture \"f\" \"float\" \"checkerboard\"";
        let [m, n] = named;
        // The named materials differ from each other.
        let n = n.replace("[1 2 3]", "[3 2 1]");
        format!("{start} {pre} WorldBegin {texture} {m} {n} {world} {TRIANGLE} {end}")
    }

    /// Returns the names under which [`IGNORED`] lists parameters of the directive.
    fn listed_under(&self) -> &'static [&'static str] {
        let word = self.directive.split_ascii_whitespace().next().unwrap_or_default();
        match (self.place, word) {
            ("spectrum" | "float", _) => &["Texture"],
            ("medium", _) => &["Medium"],
            (_, "LightSource" | "AreaLightSource") => &["Light"],
            (_, "Material") => &["Material coated", "Material translucent"],
            (_, "Shape") => &["Shape"],
            (_, "Film") => &["Film"],
            (_, "Sampler") => &["Sampler"],
            (_, "Integrator") => &["Integrator"],
            (_, "Accelerator") => &["Accelerator"],
            _ => &[],
        }
    }
}

/// Imports a scene; returns a text of all that a renderer sees, and the warnings.
fn imported(folder: &Folder, text: &str) -> (String, Vec<WarningKind>) {
    folder.file("main.pbrt", text.as_bytes());
    let loaded = load_in(folder, "main.pbrt").unwrap_or_else(|error| panic!("{text}: {error}"));
    (format!("{:?}", loaded.scene), loaded.warnings.into_iter().map(|warning| warning.kind).collect())
}

/// Returns the complaint if the parameter `with` of `row` is silently ignored; `ignored` lists those that cannot change
/// a picture.
fn silent(folder: &Folder, row: &Row, [with, without]: [&str; 2], ignored: &[(&str, &str, &str)]) -> Option<String> {
    let (with_scene, without_scene) = (row.scene(with), row.scene(without));
    let ((scene, warnings), (base, base_warnings)) = (imported(folder, &with_scene), imported(folder, &without_scene));
    let news = warnings.iter().filter(|warning| !base_warnings.contains(warning)).count();
    let place = format!("version {}: {} {with}", if row.v4 { 4 } else { 3 }, row.directive);
    if row.is_replaced {
        return base_warnings.is_empty().then(|| format!("{place}: that it is replaced is not said"));
    }
    if news > 1 {
        return Some(format!("{place}: warned about more than once: {warnings:?}"));
    }
    if scene != base || warnings != base_warnings {
        return None;
    }
    // The last parameter of several is the one that is tried.
    let name = with.rsplit('"').map(str::trim).find_map(|part| {
        let (kind, name) = part.split_once(' ')?;
        super::super::values::Kind::parse(kind).map(|_| name)
    });
    let is_listed = |(of, known, _): &(&str, &str, &str)| {
        row.listed_under().contains(of) && (*known == "*" || Some(*known) == name)
    };
    (!ignored.iter().any(is_listed))
        .then(|| format!("{place}: neither used, nor warned about, nor known to change nothing"))
}

fn folder() -> Folder {
    let other = String::from_utf8_lossy(PLY).replace("1 0 0", "2 0 0");
    let mut image = std::io::Cursor::new(Vec::new());
    let (kind, format) = (image::ExtendedColorType::Rgb8, image::ImageFormat::Png);
    image::write_buffer_with_format(&mut image, &[9, 99, 199], 1, 1, kind, format).unwrap();
    let files: [(&str, &[u8]); 4] =
        [("a.png", &png()), ("b.png", &image.into_inner()), ("a.ply", PLY), ("b.ply", other.as_bytes())];
    folder_of(&files)
}

#[test]
fn every_parameter_of_the_documentation_is_used_or_warned_about_or_known_to_change_nothing() {
    let folder = folder();
    let rows: Vec<Row> = TABLE.lines().filter(|line| !line.is_empty()).map(Row::parse).collect();
    let tried =
        |row: &Row| row.parameters.iter().filter_map(|pair| silent(&folder, row, *pair, IGNORED)).collect::<Vec<_>>();
    let wrong: Vec<String> = rows.iter().flat_map(tried).collect();
    assert!(wrong.is_empty(), "{} parameters:\n{}", wrong.len(), wrong.join("\n"));
    // The list has nothing that no version documents.
    for (of, name, why) in IGNORED {
        let documented = rows.iter().any(|row| {
            row.listed_under().contains(of)
                && row.parameters.iter().any(|[with, _]| *name == "*" || with.contains(&format!(" {name}\"")))
        });
        assert!(documented && !why.is_empty(), "{of} {name}");
    }
}

#[test]
fn a_parameter_that_is_passed_over_in_silence_is_found() {
    let folder = folder();
    let row = Row::parse("4 pre | Film \"rgb\" | \"float diagonal\" 7");
    assert!(silent(&folder, &row, row.parameters[0], IGNORED).is_none());
    let found = silent(&folder, &row, row.parameters[0], &[]).unwrap();
    assert!(found.contains("\"float diagonal\" 7"), "{found}");
    let row = Row::parse("4 pre all | Film \"rgb\" | \"float diagonal\" 7");
    assert!(silent(&folder, &row, row.parameters[0], IGNORED).is_some());
}
