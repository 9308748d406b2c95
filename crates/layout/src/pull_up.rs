//! Chooses the nodes of a `Bvh2` that become the children of a wider node, by opening one child after another.
//!
//! Sources: G14 4.1 (pulling up, with its rules near the leaves), L9 "Building the MBVH" (adoption),
//! both after Wald, Benthin, Boulos 2008. The tree of least cost is `collapse`'s matter.
//!
//! An opened child gives its place to its own two children, so that a node's children stand in the
//! tree's order from left to right. Of equal areas the earlier child is opened, so that equal input
//! gives equal bytes on every machine.

use raywarp_bvh::Bvh2;
use raywarp_family::Collapse;
use raywarp_geom::Aabb;

/// Rule for pulling children up into a wide node, with what it needs to know of the binary tree.
pub(crate) struct PullUp<'a> {
    bvh: &'a Bvh2,
    collapse: Collapse,
    branching: usize,
    /// Number of leaves below each node, counted up to [`MANY`]; empty if the rule does not ask.
    leaves: Vec<u8>,
}

/// Number of leaves at which counting stops, since more make no difference.
const MANY: u8 = 4;

impl<'a> PullUp<'a> {
    /// Prepares the rule for a tree that passed `structure::check`. O(nodes).
    pub fn new(bvh: &'a Bvh2, collapse: Collapse, branching: usize) -> Self {
        let mut leaves = Vec::new();
        if collapse == Collapse::Guthe {
            leaves = vec![1u8; bvh.nodes.len()];
            for (index, node) in bvh.nodes.iter().enumerate().rev().filter(|(_, node)| !node.is_leaf()) {
                let left = node.first as usize;
                leaves[index] = (leaves[left] + leaves[left + 1]).min(MANY);
            }
        }
        Self { bvh, collapse, branching, leaves }
    }

    /// Writes into `children` the nodes that become children of the wide node for `node`, from left to right. They are
    /// 2 to `branching`, or the node itself if it is a leaf.
    pub fn children(&self, node: usize, children: &mut Vec<usize>) {
        children.clear();
        children.push(node);
        // The first opening is that of the node itself.
        let mut next = (!self.bvh.nodes[node].is_leaf()).then_some(0);
        while let Some(position) = next {
            let left = self.bvh.nodes[children[position]].first as usize;
            children.splice(position..=position, [left, left + 1]);
            next = if children.len() < self.branching { self.choose(children) } else { None };
        }
    }

    /// Returns the position of the child to be replaced next by its own two children; `None` if none is.
    fn choose(&self, children: &[usize]) -> Option<usize> {
        let inner = || (0..children.len()).filter(|&i| !self.bvh.nodes[children[i]].is_leaf());
        if self.collapse == Collapse::Adopt {
            return self.largest(children, inner());
        }
        let with_leaves = |count: u8| inner().filter(move |&i| self.leaves[children[i]] == count);
        if let Some(pair) = self.largest(children, with_leaves(2)) {
            return Some(pair);
        }
        if children.len() == 2
            && let Some(triple) = self.largest(children, with_leaves(3))
        {
            return Some(triple);
        }
        if inner().count() == 1 {
            return inner().next();
        }
        self.largest(children, with_leaves(MANY))
    }

    /// Returns the first of `positions` whose child has the box with the largest surface area.
    fn largest(&self, children: &[usize], positions: impl Iterator<Item = usize>) -> Option<usize> {
        let area = |position: usize| half_area(&self.bvh.nodes[children[position]].bounds);
        positions.map(|i| (i, area(i))).reduce(|best, i| if i.1 > best.1 { i } else { best }).map(|(i, _)| i)
    }
}

/// Returns half of a box's surface area in f64, in which no finite box is too large or too small to be compared.
fn half_area(aabb: &Aabb) -> f64 {
    let [x, y, z] = std::array::from_fn(|i| f64::from(aabb.max[i]) - f64::from(aabb.min[i]));
    x * y + y * z + z * x
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_bvh::Node;

    /// Parses a tree from nested parentheses. A leaf is the width of its box; the boxes stand in a row, so that a
    /// subtree's area grows with the sum of its widths.
    fn tree(text: &str) -> Bvh2 {
        fn parse(words: &mut std::str::SplitWhitespace, bvh: &mut Bvh2, place: usize, x: f32) -> f32 {
            let word = words.next().expect("an unfinished tree");
            let end = if word == "(" {
                let first = bvh.nodes.len();
                bvh.nodes.extend([Node { bounds: Aabb::EMPTY, first: 0, count: 1 }; 2]);
                let middle = parse(words, bvh, first, x);
                let end = parse(words, bvh, first + 1, middle);
                assert_eq!(words.next(), Some(")"));
                bvh.nodes[place] = Node { bounds: Aabb::EMPTY, first: first as u32, count: 0 };
                end
            } else {
                bvh.nodes[place].first = bvh.references.len() as u32;
                bvh.references.push(bvh.primitive_count);
                bvh.primitive_count += 1;
                x + word.parse::<f32>().expect("a width")
            };
            bvh.nodes[place].bounds = Aabb { min: [x, 0.0, 0.0], max: [end, 1.0, 1.0] };
            end
        }
        let root = Node { bounds: Aabb::EMPTY, first: 0, count: 1 };
        let mut bvh = Bvh2 { nodes: vec![root], references: Vec::new(), primitive_count: 0 };
        parse(&mut text.replace('(', " ( ").replace(')', " ) ").split_whitespace(), &mut bvh, 0, 0.0);
        bvh
    }

    /// Formats the collapsed tree in the notation of nested parentheses.
    fn text(pull_up: &PullUp, node: usize) -> String {
        let n = &pull_up.bvh.nodes[node];
        if n.is_leaf() {
            return format!("{}", n.bounds.max[0] - n.bounds.min[0]);
        }
        let mut children = Vec::new();
        pull_up.children(node, &mut children);
        let children: Vec<String> = children.iter().map(|&child| text(pull_up, child)).collect();
        format!("({})", children.join(" "))
    }

    #[track_caller]
    fn check(binary: &str, guthe: &str, adopt: &str) {
        let bvh = tree(binary);
        for (collapse, expected) in [(Collapse::Guthe, guthe), (Collapse::Adopt, adopt)] {
            assert_eq!(text(&PullUp::new(&bvh, collapse, 4), 0), expected, "{binary}, {collapse:?}");
        }
    }

    #[test]
    fn a_small_tree_becomes_one_node() {
        check("7", "7", "7");
        check("(1 2)", "(1 2)", "(1 2)");
        check("((1 2) 3)", "(1 2 3)", "(1 2 3)");
        check("((1 2) (3 4))", "(1 2 3 4)", "(1 2 3 4)");
        check("(1 ((2 3) 4))", "(1 2 3 4)", "(1 2 3 4)");
    }

    #[test]
    fn the_child_of_largest_area_is_opened_and_of_equal_ones_the_first() {
        let four = |w: u32| format!("(({w} {w}) ({w} {w}))");
        let (s, l) = (four(1), four(5));
        check(&format!("({s} ({l} {s}))"), "((1 1 1 1) (5 5) (5 5) (1 1 1 1))", "((1 1 1 1) (5 5) (5 5) (1 1 1 1))");
        check(
            &format!("(({s} {s}) ({s} {s}))"),
            "((1 1 1 1) (1 1 1 1) (1 1 1 1) (1 1 1 1))",
            "((1 1 1 1) (1 1 1 1) (1 1 1 1) (1 1 1 1))",
        );
        check(&format!("({s} ({s} 4))"), "((1 1) (1 1) (1 1 1 1) 4)", "((1 1) (1 1) (1 1 1 1) 4)");
    }

    #[test]
    fn a_child_with_two_leaves_is_opened_before_a_larger_one() {
        check("((1 1) ((9 9) (9 9)))", "(1 1 (9 9) (9 9))", "((1 1) 9 9 (9 9))");
        check("(((1 1) (2 2)) 9)", "((1 1) 2 2 9)", "((1 1) 2 2 9)");
        check("(((2 2) (2 2)) 9)", "(2 2 (2 2) 9)", "(2 2 (2 2) 9)");
    }

    #[test]
    fn a_child_with_three_leaves_is_opened_first_if_nothing_was() {
        check("((1 (1 1)) ((9 9) (9 9)))", "(1 1 1 (9 9 9 9))", "((1 1 1) 9 9 (9 9))");
        check("((1 (1 1)) (2 (2 2)))", "((1 1 1) 2 2 2)", "((1 1 1) 2 2 2)");
    }

    #[test]
    fn a_child_with_three_leaves_is_opened_later_only_if_it_is_the_only_inner_one() {
        check("(((9 (9 9)) ((1 1) (1 1))) 1)", "((9 9 9) (1 1) (1 1) 1)", "(9 (9 9) (1 1 1 1) 1)");
        check("((1 1) (1 (1 1)))", "(1 1 1 (1 1))", "(1 1 1 (1 1))");
        check("(((1 (1 1)) (1 (1 1))) 1)", "((1 1 1) (1 1 1) 1)", "(1 (1 1) (1 1 1) 1)");
    }

    #[test]
    fn a_wider_node_opens_more() {
        let bvh = tree("((((1 1) (1 1)) ((3 3) 1)) ((((5 5) (5 5)) 1) (2 (2 2))))");
        let wide = |branching| text(&PullUp::new(&bvh, Collapse::Adopt, branching), 0);
        assert_eq!(wide(8), "((1 1 1 1) (3 3 1) 5 5 5 5 1 (2 2 2))");
        assert_eq!(wide(32), "(1 1 1 1 3 3 1 5 5 5 5 1 2 2 2)");
    }

    #[test]
    fn huge_and_tiny_boxes_are_compared_like_ordinary_ones() {
        let text_of = |scale: f32| {
            let mut bvh = tree("((1 (1 1)) (((2 2) (9 9)) ((9 9) (9 9))))");
            for node in &mut bvh.nodes {
                node.bounds = Aabb { min: node.bounds.min.map(|x| x * scale), max: node.bounds.max.map(|x| x * scale) };
            }
            let pull_up = PullUp::new(&bvh, Collapse::Adopt, 4);
            let mut children = Vec::new();
            pull_up.children(0, &mut children);
            children
        };
        assert_eq!((text_of(1e36), text_of(1e-38)), (text_of(1.0), text_of(1.0)));
    }
}
