//! Skills: storage, frontmatter, the three tools, usage sidecar, archive (`spec/skills.md`, `spec/skill-usage.md`).
