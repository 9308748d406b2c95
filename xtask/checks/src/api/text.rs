//! Tokens as text, spaced as a reader expects and independent of how the source was broken into lines.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{FnArg, GenericParam, Generics, Pat, Signature};

/// Returns a piece of Rust syntax as text.
pub fn text(syntax: &impl ToTokens) -> String {
    let mut out = String::new();
    write(syntax.to_token_stream(), false, &mut out);
    out
}

/// Kind of the token written last, as far as spaces depend on it.
#[derive(Clone, Copy, PartialEq)]
enum Last {
    /// Nothing yet, or a token that takes no space after it.
    Open,
    /// A word or a number.
    Word,
    /// A closing bracket, after which a space depends on the next token.
    Close,
}

/// Writes tokens as text; a last comma in parentheses is only kept in a tuple of one.
fn write(stream: TokenStream, in_parentheses: bool, out: &mut String) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let keeps_last_comma = in_parentheses && commas(&trees) == 1;
    let mut last = Last::Open;
    let mut i = 0;
    while i < trees.len() {
        match &trees[i] {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => ("{ ", " }"),
                    Delimiter::None => ("", ""),
                };
                let keyword = ["mut", "const", "dyn", "impl", "in", "as", "where", "for"];
                let after_keyword = keyword.iter().any(|word| ends_with_word(out, word));
                let spaced = group.delimiter() == Delimiter::Brace
                    || (last == Last::Word && (after_keyword || starts_lifetime(out)));
                if spaced && !out.is_empty() && !out.ends_with(' ') {
                    out.push(' ');
                }
                out.push_str(open);
                write(group.stream(), group.delimiter() == Delimiter::Parenthesis, out);
                out.push_str(close);
                last = Last::Close;
            }
            TokenTree::Ident(word) => {
                if last != Last::Open {
                    out.push(' ');
                }
                out.push_str(&word.to_string());
                last = Last::Word;
            }
            TokenTree::Literal(literal) => {
                if last != Last::Open {
                    out.push(' ');
                }
                out.push_str(&literal.to_string());
                last = Last::Word;
            }
            TokenTree::Punct(punct) if punct.as_char() == '\'' => {
                if last != Last::Open {
                    out.push(' ');
                }
                out.push('\'');
                last = Last::Open;
            }
            TokenTree::Punct(_) => {
                let mut sign = String::new();
                while let Some(TokenTree::Punct(punct)) = trees.get(i) {
                    sign.push(punct.as_char());
                    let joint = punct.spacing() == Spacing::Joint;
                    // Angle brackets close one by one, and `&` stands before what it refers to.
                    let next = match trees.get(i + 1) {
                        Some(TokenTree::Punct(next)) => next.as_char(),
                        _ => ' ',
                    };
                    if !joint
                        || !["::", "->", "=>", "..", "==", "...", "..=", "&&"]
                            .contains(&format!("{sign}{next}").as_str())
                    {
                        break;
                    }
                    i += 1;
                }
                if sign == "," && trees.get(i + 1).is_none() {
                    out.push_str(if keeps_last_comma { "," } else { "" });
                } else {
                    last = punctuation(&sign, trees.get(i + 1), last, out);
                }
            }
        }
        i += 1;
    }
}

/// Writes the punctuation `sign`, and returns the kind of token that it leaves last.
fn punctuation(sign: &str, next: Option<&TokenTree>, last: Last, out: &mut String) -> Last {
    match sign {
        "," => {
            let closes = matches!(next, Some(TokenTree::Punct(next)) if next.as_char() == '>');
            out.push_str(if closes { "" } else { ", " });
            Last::Open
        }
        ";" | ":" => {
            out.push_str(sign);
            out.push(' ');
            Last::Open
        }
        "->" | "=>" | "=" | "==" | "+" | "|" => {
            out.push(' ');
            out.push_str(sign);
            out.push(' ');
            Last::Open
        }
        ">" => {
            out.push('>');
            Last::Close
        }
        "<" => {
            if last == Last::Word && ends_with_word(out, "as") {
                out.push(' ');
            }
            out.push('<');
            Last::Open
        }
        "&" | "&&" | "*" | "#" | "?" | "!" | "-" => {
            let before = last == Last::Word || (last == Last::Close && sign != "!");
            if before && !out.ends_with(' ') {
                out.push(' ');
            }
            out.push_str(sign);
            Last::Open
        }
        _ => {
            out.push_str(sign);
            Last::Open
        }
    }
}

/// Returns the number of commas that are outside of angle brackets.
fn commas(trees: &[TokenTree]) -> usize {
    let (mut depth, mut count) = (0, 0);
    for tree in trees {
        if let TokenTree::Punct(punct) = tree {
            match punct.as_char() {
                '<' => depth += 1,
                '>' => depth -= 1,
                ',' if depth == 0 => count += 1,
                _ => {}
            }
        }
    }
    count
}

fn ends_with_word(out: &str, word: &str) -> bool {
    out.strip_suffix(word).is_some_and(|rest| !rest.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
}

/// Returns `true` if the text `out` ends with a lifetime.
fn starts_lifetime(out: &str) -> bool {
    out.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_').ends_with('\'')
}

/// Returns generic parameters with their bounds as text, such as `<'a, T: Tracer>`; empty if there are none.
pub fn parameters(generics: &Generics) -> String {
    let one = |parameter: &GenericParam| {
        let mut parameter = parameter.clone();
        match &mut parameter {
            GenericParam::Type(of) => of.attrs.clear(),
            GenericParam::Lifetime(of) => of.attrs.clear(),
            GenericParam::Const(of) => of.attrs.clear(),
        }
        text(&parameter)
    };
    let all: Vec<String> = generics.params.iter().map(one).collect();
    if all.is_empty() { String::new() } else { format!("<{}>", all.join(", ")) }
}

/// Returns a `where` clause as text with a space before it; empty if there is none.
pub fn conditions(generics: &Generics) -> String {
    let Some(conditions) = &generics.where_clause else { return String::new() };
    let all: Vec<String> = conditions.predicates.iter().map(text).collect();
    if all.is_empty() { String::new() } else { format!(" where {}", all.join(", ")) }
}

/// Returns a function's generic parameters, arguments and result as text, without its name.
pub fn signature(signature: &Signature) -> String {
    let argument = |argument: &FnArg| match argument {
        FnArg::Receiver(receiver) => {
            let mut receiver = receiver.clone();
            receiver.attrs.clear();
            receiver.mutability = None;
            text(&receiver)
        }
        FnArg::Typed(typed) => {
            let name = if let Pat::Ident(name) = &*typed.pat { name.ident.to_string() } else { "_".into() };
            format!("{name}: {}", text(&typed.ty))
        }
    };
    let arguments: Vec<String> = signature.inputs.iter().map(argument).collect();
    let result = match &signature.output {
        syn::ReturnType::Default => String::new(),
        syn::ReturnType::Type(_, result) => format!(" -> {}", text(result)),
    };
    let generics = &signature.generics;
    format!("{}({}){result}{}", parameters(generics), arguments.join(", "), conditions(generics))
}

/// Returns the words before a function's name, such as `const unsafe fn`.
pub fn function_words(signature: &Signature) -> String {
    let mut words = String::new();
    if signature.constness.is_some() {
        words.push_str("const ");
    }
    if signature.asyncness.is_some() {
        words.push_str("async ");
    }
    let safety = text(&signature.safety);
    if !safety.is_empty() {
        words.push_str(&safety);
        words.push(' ');
    }
    if let Some(abi) = &signature.abi {
        words.push_str(&text(abi));
        words.push(' ');
    }
    words + "fn"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(wanted: &str) {
        let function: syn::ItemFn = syn::parse_str(&format!("fn f{wanted} {{}}")).unwrap();
        assert_eq!(signature(&function.sig), wanted);
    }

    #[test]
    fn signatures_are_written_as_people_write_them() {
        check("(rays: &[Ray], hits: &mut [Hit]) -> Result<(), TraceError>");
        check("<'a, T: Tracer + Send, const N: usize>(of: &'a [T; N]) -> impl Iterator<Item = (u32, &'a T)> + 'a");
        check("(next: &dyn Fn(u32, &[f32]) -> bool, all: Option<(u32,)>) -> Vec<Vec<u8>>");
        check("<T>(made: Box<dyn FnMut() -> T + Send>) -> <T as Iterator>::Item where T: Iterator + ?Sized");
        check("(bytes: *const u8, &'static mut [f32])".replace("&'static", "more: &'static").as_str());
        check("(f: for<'a> fn(&'a str) -> &'a (dyn std::any::Any + 'static))");
    }

    #[test]
    fn line_breaks_of_the_source_leave_no_trace() {
        let function: syn::ItemFn = syn::parse_str(
            "fn f(\n    mut a: Map<\n        String,\n        Vec<u8>,\n    >,\n    (b, c): (u32, u32),\n) {}",
        )
        .unwrap();
        assert_eq!(signature(&function.sig), "(a: Map<String, Vec<u8>>, _: (u32, u32))");
    }
}
