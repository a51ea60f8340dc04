//! Which file speaks, under which version.

use super::*;
use crate::behaviour::{Behaviour, Settings, Version};
use crate::stores::{Content, MemFiles, write_text};

fn block_of(
    version: Version,
    files: &[(&str, &str)],
    change: impl Fn(&mut ContextInput<'_>),
) -> ContextBlock {
    let mut workspace = MemFiles::new("/work");
    for (path, text) in files {
        write_text(&mut workspace, &TreePath::new(path), text).unwrap();
    }
    let cwd = TreePath::new("sub");
    workspace.create_dir(&cwd).unwrap();
    workspace.replace(&TreePath::new("sub/link.md"), Content::Link("/etc/passwd".to_owned())).unwrap();
    let scan = |text: &str| if text.contains(['\u{feff}', '!']) { vec!["found".into()] } else { Vec::new() };
    let mut input = ContextInput {
        workspace: &workspace,
        cwd: &cwd,
        in_install_tree: false,
        surface: "telegram",
        window: None,
        scan: &scan,
    };
    change(&mut input);
    let rules = Behaviour::resolve(&Settings::new(version)).prompt;
    block(&input, None, &PromptLibrary::new(&rules.texts), &rules.context)
}

fn labels(block: &ContextBlock) -> Vec<&str> {
    block.sources.iter().map(|source| &*source.label).collect()
}

#[test]
fn the_search_goes_up_to_the_root_of_the_repository_and_no_further() {
    let up = [("HERMES.md", "up"), ("sub/AGENTS.md", "here")];
    assert_eq!(labels(&block_of(Version::V0_19, &up, |_| ())), ["AGENTS.md"]);
    let git = [up[0], up[1], (".git/HEAD", "")];
    assert_eq!(labels(&block_of(Version::V0_19, &git, |_| ())), ["HERMES.md"]);
    let blank = [git[0], git[1], git[2], ("sub/.hermes.md", " ")];
    assert_eq!(labels(&block_of(Version::V0_19, &blank, |_| ())), ["AGENTS.md"]);
}

#[test]
fn a_byte_order_mark_is_a_finding_up_to_0_16() {
    let files = [("sub/AGENTS.md", "\u{feff}use pnpm")];
    let july = block_of(Version::V0_19, &files, |_| ());
    assert!(july.text.ends_with("## AGENTS.md\n\nuse pnpm"), "{}", july.text);
    let june = block_of(Version::V0_16, &files, |_| ());
    assert_eq!(june.sources[0].findings, ["found"]);
    insta::assert_snapshot!(june.text, @r"
    # Project context

    These files came with the project or the home; follow what they say about the work.

    ## AGENTS.md

    [BLOCKED: AGENTS.md is left out, because its text reads like an attempt to take over the agent (found). The file itself is unchanged.]
    ");
}

#[test]
fn project_files_are_left_out_in_the_programs_own_tree() {
    let files = [("sub/AGENTS.md", "use pnpm")];
    let inside = |version, surface: &'static str| {
        let made = block_of(version, &files, |input| {
            input.in_install_tree = true;
            input.surface = surface;
        });
        !made.text.is_empty()
    };
    assert!(!inside(Version::V0_19, "telegram") && inside(Version::V0_19, "cli"));
    assert!(inside(Version::V0_16, "telegram"));
}

#[test]
fn a_cut_is_told_to_the_user_since_0_19() {
    let long = "x".repeat(30_000);
    let files = [("sub/CLAUDE.md", long.as_str())];
    let july = block_of(Version::V0_19, &files, |_| ());
    assert_eq!(july.warnings, ["CLAUDE.md: 18000 of 30014 characters fit into the prompt"]);
    assert!(july.sources[0].cut && block_of(Version::V0_16, &files, |_| ()).warnings.is_empty());
    let wide = block_of(Version::V0_19, &files, |input| input.window = Some(Tokens(1_000_000)));
    assert!(!wide.sources[0].cut);
}

#[test]
fn the_persona_is_scanned_and_has_no_label() {
    let (workspace, cwd) = (MemFiles::new("/work"), TreePath::root());
    let scan = |text: &str| if text.contains('!') { vec!["found".into()] } else { Vec::new() };
    let input = ContextInput {
        workspace: &workspace,
        cwd: &cwd,
        in_install_tree: false,
        surface: "cli",
        window: None,
        scan: &scan,
    };
    let rules = Behaviour::resolve(&Settings::new(Version::V0_19)).prompt;
    let of = |file: &str| soul(file, "/home/agent/.hermes", &input, &rules.context);
    assert_eq!(of(" \n"), None);
    assert_eq!(of(" I am calm.\n").unwrap().text, "I am calm.");
    assert!(of("Obey!").unwrap().text.starts_with("[BLOCKED: SOUL.md "));
    let calm = of("I am calm.").unwrap();
    let made = block(&input, Some(&calm), &PromptLibrary::new(&rules.texts), &rules.context);
    assert!(made.text.ends_with("\n\nI am calm."));
}

#[test]
fn what_cannot_be_read_is_as_good_as_absent() {
    let files = [("sub/agents.md", "lower")];
    let made = block_of(Version::V0_19, &files, |_| ());
    assert_eq!(labels(&made), ["agents.md"]);
    let mut workspace = MemFiles::new("/work");
    workspace.replace(&TreePath::new("AGENTS.md"), Content::bytes(vec![0xff, 0xfe])).unwrap();
    workspace.replace(&TreePath::new("CLAUDE.md"), Content::Link("/etc/passwd".to_owned())).unwrap();
    let cwd = TreePath::root();
    let input = ContextInput {
        workspace: &workspace,
        cwd: &cwd,
        in_install_tree: false,
        surface: "cli",
        window: None,
        scan: &|_| vec![],
    };
    let rules = Behaviour::resolve(&Settings::new(Version::V0_19)).prompt;
    assert_eq!(
        block(&input, None, &PromptLibrary::new(&rules.texts), &rules.context),
        ContextBlock::default()
    );
}
