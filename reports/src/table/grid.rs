//! A table as data: columns, rows of text, notes below.

/// On which side a column's content stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Align {
    /// Words.
    #[default]
    Left,
    /// Numbers.
    Right,
}

/// One column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GridColumn {
    /// Its heading, with the unit.
    pub name: String,
    /// On which side its content stands.
    pub align: Align,
}

/// How a row is meant. Colour repeats it and never carries it: the row says it in words, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// Nothing special.
    #[default]
    Plain,
    /// It is as wanted.
    Good,
    /// It is not.
    Bad,
    /// It wants attention.
    Doubtful,
}

/// One row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GridRow {
    /// Its cells, in the order of the columns; missing ones are empty.
    pub cells: Vec<String>,
    /// How it is meant.
    pub tone: Tone,
}

/// A table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    /// Its title; empty for none.
    pub title: String,
    /// Its columns.
    pub columns: Vec<GridColumn>,
    /// Its rows.
    pub rows: Vec<GridRow>,
    /// What must be said below it: what it rests on, what was left out.
    pub notes: Vec<String>,
}

impl Grid {
    /// A table without rows. A heading that begins with `>` makes its column one of numbers.
    pub fn new(title: impl Into<String>, columns: &[impl AsRef<str>]) -> Self {
        let column = |heading: &_| {
            let heading: &str = AsRef::as_ref(heading);
            match heading.strip_prefix('>') {
                Some(name) => GridColumn { name: name.to_owned(), align: Align::Right },
                None => GridColumn { name: heading.to_owned(), align: Align::Left },
            }
        };
        Self { title: title.into(), columns: columns.iter().map(column).collect(), ..Self::default() }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) -> &mut Self {
        self.toned(Tone::Plain, cells)
    }

    /// Adds a row that is meant in some way.
    pub fn toned(&mut self, tone: Tone, cells: impl IntoIterator<Item = impl Into<String>>) -> &mut Self {
        self.rows.push(GridRow { cells: cells.into_iter().map(Into::into).collect(), tone });
        self
    }

    /// Adds a note.
    pub fn note(&mut self, note: impl Into<String>) -> &mut Self {
        self.notes.push(note.into());
        self
    }
}
