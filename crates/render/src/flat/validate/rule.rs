//! Rules of scenes that shading reads.

/// Rule that a record of a [`crate::flat::ShadingScene`] can break.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the sentence of each variant says what it is")]
pub enum ShadingRule {
    #[error("has another number of texels than its size says")]
    TexelCount,
    #[error("names colours that are not there")]
    NoColors,
    #[error("has texture coordinates that are not finite")]
    TextureCoordinates,
    #[error("has a number that is not finite")]
    Number,
    #[error("absorbs an amount that is negative or not finite")]
    Absorption,
    #[error("has an index of refraction that is negative or not finite")]
    Refraction,
    #[error("are more than a path can tell apart")]
    TooManyMedia,
    #[error("says another thing than the materials")]
    AllOpaque,
    #[error("has a factor that is not finite")]
    Factor,
    #[error("names a texture that is not there")]
    NoTexture,
    #[error("names a channel that does not exist")]
    NoChannel,
    #[error("is of a kind that does not exist")]
    NoKind,
    #[error("remaps roughness in a way that does not exist")]
    NoRemap,
    #[error("has a flag that does not exist")]
    NoFlag,
    #[error("has inputs that are not there")]
    NoInputs,
    #[error("names an input that is not there")]
    NoInput,
    #[error("names a medium that is not there")]
    NoMedium,
    #[error("has a medium outside and is no interface")]
    OutsideOfNoInterface,
    #[error("has a normal map without a texture")]
    NormalMap,
    #[error("has a cutoff that is not finite")]
    Cutoff,
    #[error("has unused fields that are not zero")]
    Unused,
    #[error("has parts that do not come before it, or should have none")]
    Parts,
    #[error("looks at attributes and does not say so")]
    LooksUnsaid,
    #[error("chooses between parts and does not say so")]
    ChoosesUnsaid,
    #[error("says that it chooses and has no parts")]
    ChoosesNothing,
    #[error("bounds media without a surface and is no hole all over")]
    SolidBoundary,
    #[error("has a value that is not finite")]
    Value,
    #[error("has a mapping that is not finite")]
    Mapping,
    #[error("names texture coordinates that do not exist")]
    NoTextureCoordinates,
    #[error("names an image that is not there")]
    NoImage,
    #[error("is looked up in a way that does not exist")]
    NoLookup,
    #[error("wraps in a way that does not exist")]
    NoWrapping,
    #[error("has steps that are not there")]
    NoSteps,
    #[error("takes values that were not pushed")]
    StackUnderflow,
    #[error("holds more values than the stack")]
    StackOverflow,
    #[error("leaves more than one value")]
    StackRest,
    #[error("does not begin where the one before it ends")]
    PlacementBegin,
    #[error("does not end with the triangles")]
    PlacementEnd,
    #[error("names a shared mesh that is not there")]
    Shared,
    #[error("has a corner that is not finite")]
    Corner,
    #[error("names a material that is not there")]
    NoMaterial,
    #[error("names attributes that are not there")]
    NoAttributes,
    #[error("names a placement that is not there")]
    NoPlacement,
    #[error("names a placement that it is not in")]
    OtherPlacement,
    #[error("names a light that is not there")]
    NoLight,
    #[error("names a light that is another's")]
    OtherLight,
    #[error("has a share that is not from 0 to 1")]
    Share,
    #[error("has no cell in the choice, though others have")]
    NoCell,
    #[error("has a density that is negative or not finite")]
    Density,
    #[error("falls off in a way that does not exist")]
    NoRamp,
    #[error("names an environment that is not there")]
    NoEnvironment,
    #[error("names triangles that are not there")]
    NoTriangles,
    #[error("names a triangle that is another light")]
    OtherTriangle,
    #[error("has another material than its triangles")]
    OtherMaterial,
    #[error("has holes, through which its other side would show")]
    Holes,
    #[error("is not where its triangles are")]
    Place,
    #[error("has a radiance that is not finite")]
    Radiance,
    #[error("has a rotation that is not finite")]
    RotationNotFinite,
    #[error("has a rotation that stretches or shears")]
    RotationShears,
    #[error("is chosen with a probability that is not from 0 to 1")]
    Choice,
    #[error("has a table that is not there")]
    NoTable,
    #[error("has a table that does not rise from 0 to 1")]
    TableOrder,
    #[error("has a table with the guide of another")]
    TableGuide,
    #[error("gives its alias another probability than the alias has")]
    AliasProbability,
    #[error("is chosen more often or less often than its probability says")]
    ChosenOften,
    #[error("has another probability than the choice gives it")]
    Probability,
    #[error("names an environment that is another light")]
    SharedEnvironment,
    #[error("is no light")]
    NotALight,
    #[error("has a direction whose length is not 1")]
    Direction,
}
