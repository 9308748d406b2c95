//! What the scenes of the golden pictures stand on: shapes, images, a wall, light and a camera, made by formulas.
//!
//! No function of the platform's mathematics library is called: the same scene, bit for bit, on every machine.

use raywarp::scene::{
    Camera, ColorInput, Description, Emission, FaceMaterials, FovAxis, Image, ImageFilter, Instance, Light, Material,
    MaterialId, Mesh, MeshId, Pixels, Projection, Surface, Texture, TextureId, UvMapping, Wrap,
};
use raywarp::{Affine, TriangleMesh};
use raywarp_sample::elementary::sin_cos;

/// Rows of a map that changes nothing.
pub const UPRIGHT: [[f32; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// The unit sphere with normals; u runs around it, v from its top down.
pub fn sphere() -> TriangleMesh {
    let (rows, columns) = (24u32, 48u32);
    let mut mesh = TriangleMesh::default();
    for row in 0..=rows {
        let (sin, cos) = sin_cos(row as f32 / rows as f32 * std::f32::consts::PI);
        for column in 0..=columns {
            let (s, c) = sin_cos(column as f32 / columns as f32 * std::f32::consts::TAU);
            let p = [-sin * s, cos, -sin * c];
            mesh.positions.push(p);
            mesh.normals.push(p);
            mesh.uvs.push([column as f32 / columns as f32, row as f32 / rows as f32]);
        }
    }
    for row in 0..rows {
        for column in 0..columns {
            let a = row * (columns + 1) + column;
            let b = a + columns + 1;
            mesh.indices.extend([[a, b, a + 1], [a + 1, b, b + 1]]);
        }
    }
    mesh
}

/// A square from -1 to 1 in the plane z = 0 that faces +z; u runs to the right, v down, both from 0 to 1.
pub fn square() -> TriangleMesh {
    TriangleMesh {
        positions: vec![[-1.0, 1.0, 0.0], [-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0]],
        indices: vec![[0, 1, 2], [0, 2, 3]],
        uvs: vec![[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]],
        ..TriangleMesh::default()
    }
}

/// `t`, and a size along each axis.
pub fn at(t: [f32; 3], size: [f32; 3]) -> Affine {
    Affine::translation(t).after(&Affine::scale(size))
}

/// A square's place on the floor, facing up, from `near` to `far` along z.
pub fn floor(y: f32, half_width: f32, near: f32, far: f32) -> Affine {
    let (middle, half) = (0.5 * (near + far), 0.5 * (near - far));
    Affine { rows: [[half_width, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, y], [0.0, -half, 0.0, middle]] }
}

/// A camera at `eye` that looks along -z.
pub fn ahead(eye: [f32; 3], vfov: f32) -> Camera {
    Camera {
        medium: None,
        aspect: None,
        name: String::new(),
        eye,
        right: [1.0, 0.0, 0.0],
        up: [0.0, 1.0, 0.0],
        forward: [0.0, 0.0, -1.0],
        projection: Projection::Perspective { fov: vfov, axis: FovAxis::Vertical },
        lens_radius: 0.0,
        focal_distance: 1.0,
    }
}

/// A reproducible byte from two integers.
fn noise(x: u32, y: u32) -> u8 {
    let mut h = x.wrapping_mul(0x9E37_79B1) ^ y.wrapping_mul(0x85EB_CA77);
    h = (h ^ (h >> 15)).wrapping_mul(0x2C1B_3C6D);
    (h >> 24) as u8
}

/// A scene under construction.
#[derive(Default)]
pub struct Stage {
    pub scene: Description,
    sphere: Option<MeshId>,
    square: Option<MeshId>,
}

impl Stage {
    pub fn material(&mut self, surface: Surface) -> MaterialId {
        self.scene.add_material(Material::new("", surface))
    }

    pub fn diffuse(&mut self, reflectance: impl Into<Paint>) -> MaterialId {
        self.material(Surface::Diffuse { reflectance: reflectance.into().0 })
    }

    pub fn place(&mut self, mesh: MeshId, transform: Affine, material: MaterialId) {
        self.scene.instances.push(Instance { mesh, transform, material: Some(material) });
    }

    pub fn mesh(&mut self, triangles: TriangleMesh) -> MeshId {
        // Each placement names its own material.
        let materials = FaceMaterials::Uniform(MaterialId(0));
        self.scene.add_mesh(Mesh { name: String::new(), triangles, materials })
    }

    pub fn ball(&mut self, transform: Affine, material: MaterialId) {
        let mesh = *self.sphere.get_or_insert_with(|| {
            let materials = FaceMaterials::Uniform(MaterialId(0));
            self.scene.add_mesh(Mesh { name: "ball".into(), triangles: sphere(), materials })
        });
        self.place(mesh, transform, material);
    }

    pub fn panel(&mut self, transform: Affine, material: MaterialId) {
        let mesh = *self.square.get_or_insert_with(|| {
            let materials = FaceMaterials::Uniform(MaterialId(0));
            self.scene.add_mesh(Mesh { name: "panel".into(), triangles: square(), materials })
        });
        self.place(mesh, transform, material);
    }

    /// An image that tells left from right and top from bottom: the letter F, orange on blue, and a light border
    /// texel at its top left.
    pub fn letter(&mut self, alpha: bool) -> Image {
        const ROWS: [u8; 8] =
            [0b1000_0000, 0b0111_1100, 0b0100_0000, 0b0111_1000, 0b0100_0000, 0b0100_0000, 0b0100_0000, 0];
        let texel = |i: usize| {
            let ink = ROWS[i / 8] >> (7 - i % 8) & 1 == 1;
            let color = if i == 0 {
                [250, 240, 200]
            } else if ink {
                [236, 120, 40]
            } else {
                [40, 80, 150]
            };
            let clear = if alpha && !ink { 40 + 5 * (i % 8) as u8 } else { 255 };
            [color[0], color[1], color[2], clear]
        };
        Image { name: "letter".into(), width: 8, height: 8, pixels: Pixels::Srgb8((0..64).map(texel).collect()).into() }
    }

    /// Four bumps by four, as the normals of half balls; green is up.
    pub fn dents(&mut self) -> Image {
        let texel = |i: usize| {
            let [x, y] = [i % 32, i / 32].map(|c| (c % 8) as f32 / 3.5 - 1.0);
            let inside = x * x + y * y < 0.9;
            let n = if inside { [0.9 * x, -0.9 * y, (1.0 - 0.81 * (x * x + y * y)).sqrt()] } else { [0.0, 0.0, 1.0] };
            let [r, g, b] = n.map(|c| (127.5 + 127.5 * c + 0.5) as u8);
            [r, g, b, 255]
        };
        let pixels = Pixels::Linear8((0..32 * 32).map(texel).collect());
        Image { name: "dents".into(), width: 32, height: 32, pixels: pixels.into() }
    }

    /// Grey noise, the same in no two channels.
    pub fn speckles(&mut self) -> Image {
        let texel = |i: u32| [noise(i, 1), noise(i, 2), noise(i, 3), 128 + noise(i, 4) / 2];
        Image {
            name: "speckles".into(),
            width: 8,
            height: 8,
            pixels: Pixels::Linear8((0..64).map(texel).collect()).into(),
        }
    }

    /// An image on the first texture coordinates, `repeats` times, bilinear.
    pub fn image_texture(&mut self, image: Image, repeats: f32) -> TextureId {
        let image = self.scene.add_image(image);
        let mapping = UvMapping { set: 0, rows: [[repeats, 0.0, 0.0], [0.0, repeats, 0.0]] };
        let filter = ImageFilter::Bilinear;
        self.scene.add_texture(Texture::Image { image, mapping, wrap: [Wrap::Repeat; 2], filter })
    }

    pub fn checks(&mut self, colors: [[f32; 3]; 2], across: [f32; 2]) -> TextureId {
        let [even, odd] = colors.map(|[r, g, b]| self.scene.add_texture(Texture::Constant([r, g, b, 1.0])));
        let mapping = UvMapping { set: 0, rows: [[across[0], 0.0, 0.0], [0.0, across[1], 0.0]] };
        self.scene.add_texture(Texture::Checkerboard { mapping, even, odd })
    }

    /// A wall of checks behind what stands at z = 0.
    pub fn wall(&mut self) {
        let checks = self.checks([[0.55, 0.52, 0.46], [0.16, 0.20, 0.24]], [12.0, 9.0]);
        let material = self.diffuse(checks);
        self.panel(at([0.0, 0.0, -0.8], [2.4, 1.8, 1.0]), material);
    }

    /// A lamp above on the left, in front, and a sky.
    pub fn daylight(&mut self) {
        self.lamp([18.0, 16.0, 13.0]);
        self.sky([0.8; 3], UPRIGHT);
    }

    /// A square lamp that faces down and into the scene.
    pub fn lamp(&mut self, radiance: [f32; 3]) {
        let material = self.light_material(ColorInput::constant(radiance), false);
        // Columns: the square's right, its up, its facing (towards the origin), its place.
        let rows = [[-0.672, 0.2216, 0.467, -2.2], [0.0, 0.688, -0.51, 2.4], [-0.4344, -0.3424, -0.722, 3.4]];
        self.panel(Affine { rows }, material);
    }

    pub fn light_material(&mut self, radiance: ColorInput, two_sided: bool) -> MaterialId {
        let mut material = Material::diffuse("lamp", [0.0; 3]);
        material.emission = Some(Emission { radiance, two_sided });
        self.scene.add_material(material)
    }

    /// A bright band at one side of a dim sky above dark ground: no two directions look alike.
    pub fn sky(&mut self, radiance: [f32; 3], world_to_map: [[f32; 3]; 3]) {
        let texel = |i: usize| {
            let (x, y) = (i % 16, i / 16);
            let sky = [[0.5, 0.7, 1.0], [0.6, 0.75, 0.9], [0.8, 0.8, 0.8], [1.0, 0.8, 0.6]];
            let ground = [[0.25, 0.2, 0.15], [0.2, 0.17, 0.14], [0.1; 3], [0.05; 3]];
            let [r, g, b] = if y < 4 { sky[y] } else { ground[y - 4] };
            let sun = if (11..13).contains(&x) && (1..4).contains(&y) { 6.0 } else { 0.6 + 0.02 * x as f32 };
            [r * sun, g * sun, b * sun, 1.0]
        };
        let pixels = Pixels::Float((0..16 * 8).map(texel).collect());
        let map = Some(self.scene.add_image(Image { name: "sky".into(), width: 16, height: 8, pixels: pixels.into() }));
        self.scene.lights.push(Light::Environment { map, radiance, world_to_map });
    }

    /// Balls of these materials before the wall, in rows of two or three from the top left, in daylight.
    pub fn show(mut self, materials: &[MaterialId]) -> Description {
        let columns = if materials.len() > 4 { 3 } else { 2 };
        for (i, &material) in materials.iter().enumerate() {
            let x = (i % columns) as f32 - 0.5 * (columns - 1) as f32;
            let y = 0.5 - (i / columns) as f32;
            self.ball(at([1.02 * x, 1.02 * y, 0.0], [0.46; 3]), material);
        }
        self.wall();
        self.daylight();
        self.seen_from(ahead([0.0, 0.0, 8.0], if columns == 3 { 17.0 } else { 15.5 }))
    }

    pub fn seen_from(mut self, camera: Camera) -> Description {
        self.scene.cameras.push(camera);
        self.scene
    }
}

/// What a colour may be made of.
pub struct Paint(pub ColorInput);

impl From<[f32; 3]> for Paint {
    fn from(factor: [f32; 3]) -> Self {
        Self(ColorInput::constant(factor))
    }
}

impl From<TextureId> for Paint {
    fn from(texture: TextureId) -> Self {
        Self(ColorInput::texture(texture))
    }
}
