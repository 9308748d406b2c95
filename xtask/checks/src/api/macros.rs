//! Expansion of `macro_rules!` by example, as far as items are made by it: fragments and nested repetitions, without
//! hygiene and without backtracking into a repetition.

use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::BTreeMap;
use syn::parse::{Parse, ParseStream, Parser};

/// A `macro_rules!` definition, which can be expanded without the compiler.
#[derive(Debug, Clone)]
pub struct Macro {
    rules: Vec<(Vec<Part>, Vec<Part>)>,
}

/// A piece of a macro's pattern or body.
#[derive(Debug, Clone)]
enum Part {
    Token(TokenTree),
    Group(Delimiter, Vec<Part>),
    /// A macro variable: `$name:fragment` in a pattern, or `$name` in a body.
    Variable(String, String),
    /// A repetition in a macro: `$( ... ) separator operator`.
    Repeat(Vec<Part>, Option<TokenTree>, char),
}

/// Value of a macro variable: tokens, or a value for each round of a repetition.
#[derive(Debug, Clone)]
enum Bound {
    Tokens(TokenStream),
    Each(Vec<Bound>),
}

type Bindings = BTreeMap<String, Bound>;

impl Macro {
    /// Parses the rules between the braces of `macro_rules! name { ... }`.
    pub fn parse(rules: TokenStream) -> Macro {
        let groups: Vec<Group> = rules
            .into_iter()
            .filter_map(|tree| if let TokenTree::Group(group) = tree { Some(group) } else { None })
            .collect();
        let rule = |pair: &[Group]| (parts(pair[0].stream()), parts(pair[1].stream()));
        Macro { rules: groups.chunks_exact(2).map(rule).collect() }
    }

    /// Expands `name! { input }`; returns `None` if no rule of the macro fits.
    pub fn expand(&self, input: &TokenStream) -> Option<TokenStream> {
        let trees: Vec<TokenTree> = input.clone().into_iter().collect();
        self.rules.iter().find_map(|(pattern, body)| {
            let mut bindings = Bindings::new();
            let end = matched(pattern, &trees, 0, &mut bindings)?;
            (end == trees.len()).then(|| {
                let mut out = TokenStream::new();
                written(body, &bindings, &mut out);
                out
            })
        })
    }
}

fn is_punct(tree: Option<&TokenTree>, wanted: char) -> bool {
    matches!(tree, Some(TokenTree::Punct(punct)) if punct.as_char() == wanted)
}

fn parts(stream: TokenStream) -> Vec<Part> {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let mut out = Vec::new();
    let mut i = 0;
    while i < trees.len() {
        match (&trees[i], trees.get(i + 1)) {
            (TokenTree::Punct(dollar), Some(TokenTree::Group(group))) if dollar.as_char() == '$' => {
                let inner = parts(group.stream());
                i += 2;
                let operator = |tree: Option<&TokenTree>| match tree {
                    Some(TokenTree::Punct(punct)) if "*+?".contains(punct.as_char()) => Some(punct.as_char()),
                    _ => None,
                };
                let (separator, sign) = match operator(trees.get(i)) {
                    // `+` is a separator where another operator follows it.
                    Some(sign) if operator(trees.get(i + 1)).is_none() || sign != '+' => (None, sign),
                    _ => {
                        i += 1;
                        (trees.get(i - 1).cloned(), operator(trees.get(i)).unwrap_or('*'))
                    }
                };
                i += 1;
                out.push(Part::Repeat(inner, separator, sign));
            }
            (TokenTree::Punct(dollar), Some(TokenTree::Ident(name))) if dollar.as_char() == '$' => {
                i += 2;
                if name == "crate" {
                    out.push(Part::Token(TokenTree::Ident(name.clone())));
                } else if is_punct(trees.get(i), ':')
                    && !matches!(trees.get(i), Some(TokenTree::Punct(p)) if p.spacing() == Spacing::Joint)
                    && let Some(TokenTree::Ident(fragment)) = trees.get(i + 1)
                    && is_fragment(&fragment.to_string())
                {
                    i += 2;
                    out.push(Part::Variable(name.to_string(), fragment.to_string()));
                } else {
                    out.push(Part::Variable(name.to_string(), String::new()));
                }
            }
            (TokenTree::Group(group), _) => {
                out.push(Part::Group(group.delimiter(), parts(group.stream())));
                i += 1;
            }
            (tree, _) => {
                out.push(Part::Token(tree.clone()));
                i += 1;
            }
        }
    }
    out
}

fn is_fragment(word: &str) -> bool {
    let words = "block expr ident item lifetime literal meta pat path stmt tt ty vis";
    words.split(' ').any(|fragment| fragment == word)
}

/// Matches `pattern` with `trees` from index `at` on, and returns the index at which the match ends.
fn matched(pattern: &[Part], trees: &[TokenTree], mut at: usize, bindings: &mut Bindings) -> Option<usize> {
    for part in pattern {
        match part {
            Part::Token(wanted) => {
                let found = trees.get(at)?;
                if found.to_string() != wanted.to_string() {
                    return None;
                }
                at += 1;
            }
            Part::Group(delimiter, inner) => {
                let Some(TokenTree::Group(group)) = trees.get(at) else { return None };
                let within: Vec<TokenTree> = group.stream().into_iter().collect();
                if group.delimiter() != *delimiter || matched(inner, &within, 0, bindings)? != within.len() {
                    return None;
                }
                at += 1;
            }
            Part::Variable(name, fragment) => {
                let (tokens, end) = fragment_at(fragment, trees, at)?;
                bindings.insert(name.clone(), Bound::Tokens(tokens));
                at = end;
            }
            Part::Repeat(inner, separator, sign) => {
                let mut repetitions = Vec::new();
                let mut next = at;
                loop {
                    let mut repetition = Bindings::new();
                    let Some(end) = matched(inner, trees, next, &mut repetition).filter(|&end| end > next) else {
                        break;
                    };
                    repetitions.push(repetition);
                    at = end;
                    let separated = separator
                        .as_ref()
                        .is_none_or(|s| trees.get(at).is_some_and(|t| t.to_string() == s.to_string()));
                    if *sign == '?' || !separated {
                        break;
                    }
                    next = at + usize::from(separator.is_some());
                }
                if *sign == '+' && repetitions.is_empty() {
                    return None;
                }
                for name in variables(inner) {
                    let each = repetitions.iter().filter_map(|repetition| repetition.get(&name).cloned()).collect();
                    bindings.insert(name, Bound::Each(each));
                }
            }
        }
    }
    Some(at)
}

fn variables(parts: &[Part]) -> Vec<String> {
    let mut names = Vec::new();
    for part in parts {
        match part {
            Part::Token(_) => {}
            Part::Variable(name, _) => names.push(name.clone()),
            Part::Group(_, inner) | Part::Repeat(inner, ..) => names.extend(variables(inner)),
        }
    }
    names
}

/// Returns the tokens of a fragment that begins at `at`, and the index at which it ends.
fn fragment_at(fragment: &str, trees: &[TokenTree], at: usize) -> Option<(TokenStream, usize)> {
    let first = trees.get(at);
    let upto = |end: usize| trees[at..end].iter().cloned().collect::<TokenStream>();
    match fragment {
        "ident" => matches!(first?, TokenTree::Ident(_)).then(|| (upto(at + 1), at + 1)),
        "tt" => first.map(|_| (upto(at + 1), at + 1)),
        "literal" => {
            let end = at + 1 + usize::from(is_punct(first, '-'));
            match trees.get(end - 1)? {
                TokenTree::Literal(_) => Some((upto(end), end)),
                TokenTree::Ident(word) if word == "true" || word == "false" => Some((upto(end), end)),
                _ => None,
            }
        }
        "ty" => parsed::<syn::Type>(trees, at),
        "expr" => parsed::<syn::Expr>(trees, at),
        "meta" => parsed::<syn::Meta>(trees, at),
        "path" => parsed::<syn::Path>(trees, at),
        "vis" => parsed::<syn::Visibility>(trees, at),
        "lifetime" => parsed::<syn::Lifetime>(trees, at),
        "block" => parsed::<syn::Block>(trees, at),
        "item" => parsed::<syn::Item>(trees, at),
        "pat" => parsed_by(|input: ParseStream| syn::Pat::parse_multi(input), trees, at),
        _ => None,
    }
}

fn parsed<T: Parse + ToTokens>(trees: &[TokenTree], at: usize) -> Option<(TokenStream, usize)> {
    parsed_by(T::parse, trees, at)
}

fn parsed_by<T: ToTokens>(
    parse: fn(ParseStream<'_>) -> syn::Result<T>,
    trees: &[TokenTree],
    at: usize,
) -> Option<(TokenStream, usize)> {
    let both = |input: ParseStream<'_>| -> syn::Result<(T, TokenStream)> { Ok((parse(input)?, input.parse()?)) };
    let (found, rest) = both.parse2(trees[at..].iter().cloned().collect()).ok()?;
    Some((found.to_token_stream(), trees.len() - rest.into_iter().count()))
}

fn written(body: &[Part], bindings: &Bindings, out: &mut TokenStream) {
    for part in body {
        match part {
            Part::Token(tree) => out.extend([tree.clone()]),
            Part::Group(delimiter, inner) => {
                let mut within = TokenStream::new();
                written(inner, bindings, &mut within);
                out.extend([TokenTree::Group(Group::new(*delimiter, within))]);
            }
            Part::Variable(name, _) => {
                if let Some(Bound::Tokens(tokens)) = bindings.get(name) {
                    out.extend(tokens.clone());
                }
            }
            Part::Repeat(inner, separator, _) => {
                let names = variables(inner);
                let count = |name: &String| match bindings.get(name) {
                    Some(Bound::Each(each)) => Some(each.len()),
                    _ => None,
                };
                let repetitions = names.iter().filter_map(count).max().unwrap_or(0);
                for repetition in 0..repetitions {
                    let mut of_repetition = bindings.clone();
                    for name in &names {
                        if let Some(Bound::Each(each)) = bindings.get(name)
                            && let Some(bound) = each.get(repetition)
                        {
                            of_repetition.insert(name.clone(), bound.clone());
                        }
                    }
                    if repetition > 0 {
                        out.extend(separator.clone());
                    }
                    written(inner, &of_repetition, out);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(rules: &str, input: &str) -> Option<String> {
        let expanded = Macro::parse(rules.parse().unwrap()).expand(&input.parse().unwrap())?;
        Some(crate::api::text::text(&expanded))
    }

    #[test]
    fn nested_repetitions_and_attributes_come_out_as_they_went_in() {
        let rules = "($(#[$doc:meta])* $name:ident { $($(#[$d:meta])* $v:ident = $t:literal),+ $(,)? }) => {
            $(#[$doc])* pub enum $name { $($(#[$d])* $v),+ } pub const ALL: &[&str] = &[$($t),+]; };";
        let made = expanded(rules, "/// Text\n Kind { /// One\n A = \"a\", B = \"b\", }").unwrap();
        let text =
            "#[doc = \" Text\"] pub enum Kind { #[doc = \" One\"] A, B } pub const ALL: &[&str] = &[\"a\", \"b\"]; ";
        assert_eq!(made, text);
    }

    #[test]
    fn the_first_rule_that_fits_is_taken() {
        let rules = "(@kind real) => { f32 }; (@kind $t:ty) => { $t };";
        assert_eq!(expanded(rules, "@kind real").as_deref(), Some("f32"));
        assert_eq!(expanded(rules, "@kind Vec<u8>").as_deref(), Some("Vec<u8>"));
        assert_eq!(expanded(rules, "real"), None);
    }
}
