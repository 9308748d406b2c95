//! Attributes that decide what there is: `cfg` for a set of features, and `doc(hidden)`.

use std::collections::BTreeSet;
use syn::{Attribute, Expr, Lit, Meta, Token, punctuated::Punctuated};

/// Returns `true` if a crate with `features` compiles an item with `attributes`, for Linux on x86-64 and outside of
/// tests.
pub fn is_compiled(attributes: &[Attribute], features: &BTreeSet<String>) -> bool {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).all(|attribute| {
        let condition: Meta = attribute.parse_args().expect("a condition in cfg(...)");
        holds(&condition, features)
    })
}

fn holds(condition: &Meta, features: &BTreeSet<String>) -> bool {
    match condition {
        Meta::Path(path) => path.is_ident("unix"),
        Meta::NameValue(pair) => {
            let Expr::Lit(value) = &pair.value else { return false };
            let Lit::Str(value) = &value.lit else { return false };
            let value = value.value();
            match pair.path.require_ident().map(ToString::to_string).as_deref() {
                Ok("feature") => features.contains(&value),
                Ok("target_os") => value == "linux",
                Ok("target_arch") => value == "x86_64",
                Ok("target_family") => value == "unix",
                Ok("target_pointer_width") => value == "64",
                Ok("target_endian") => value == "little",
                Ok("panic") => value == "unwind",
                _ => false,
            }
        }
        Meta::List(list) => {
            let parts = list
                .parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
                .expect("conditions with commas between");
            let mut parts = parts.iter().map(|part| holds(part, features));
            match list.path.require_ident().map(ToString::to_string).as_deref() {
                Ok("all") => parts.all(|part| part),
                Ok("any") => parts.any(|part| part),
                Ok("not") => !parts.any(|part| part),
                _ => false,
            }
        }
    }
}

/// Returns `true` if `attributes` contain `#[name(word)]`, such as `#[doc(hidden)]`.
pub fn has(attributes: &[Attribute], name: &str, word: &str) -> bool {
    attributes.iter().filter(|attribute| attribute.path().is_ident(name)).any(|attribute| {
        let words = attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
        words.is_ok_and(|words| words.iter().any(|meta| meta.path().is_ident(word)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn conditions_are_those_of_linux_and_of_the_features_that_are_on() {
        let on = BTreeSet::from(["draco".to_string()]);
        let is = |attribute: Attribute| is_compiled(&[attribute], &on);
        assert!(is(parse_quote!(#[cfg(feature = "draco")])));
        assert!(!is(parse_quote!(#[cfg(feature = "vulkan")])));
        assert!(is(parse_quote!(#[cfg(all(unix, not(test)))])));
        assert!(!is(parse_quote!(#[cfg(any(windows, target_arch = "aarch64"))])));
        assert!(is(parse_quote!(#[must_use])));
    }

    #[test]
    fn hidden_is_told_from_documented() {
        assert!(has(&[parse_quote!(#[doc(hidden)])], "doc", "hidden"));
        assert!(!has(&[parse_quote!(#[doc = "hidden"])], "doc", "hidden"));
    }
}
