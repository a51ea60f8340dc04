//! Skills: frontmatter, the tools, the usage sidecar.
