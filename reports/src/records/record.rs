//! What all record types have in common, and the macro that declares them.

use super::field::{Column, Datum};

/// One row of a record table.
pub trait Record: Sized {
    /// The table's name, which is its file's stem.
    const TABLE: &'static str;
    /// What one row is, and what the table is read off.
    const DOC: &'static str;
    /// The columns in order, keys first.
    const COLUMNS: &'static [Column];

    /// The cells in order.
    fn datums(&self) -> Vec<Datum<'_>>;

    /// Reads a row from its cells; the column that cannot be read otherwise.
    ///
    /// # Errors
    /// The first column whose cell is missing or nothing of its kind.
    fn read<'a>(cells: impl FnMut(&'static str) -> Option<&'a str>) -> Result<Self, &'static Column>;

    /// What rows are sorted by; within it they keep the order of the trace.
    fn sort_key(&self) -> (&str, &str, u64, &str);
}

/// A table of rows, whatever their type.
pub trait Table {
    /// The table's name.
    fn name(&self) -> &'static str;
    /// What one row is.
    fn doc(&self) -> &'static str;
    /// The columns in order.
    fn columns(&self) -> &'static [Column];
    /// The number of rows.
    fn len(&self) -> usize;
    /// Whether there is no row.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The cells of a row.
    fn row(&self, index: usize) -> Vec<Datum<'_>>;
}

impl<R: Record> Table for Vec<R> {
    fn name(&self) -> &'static str {
        R::TABLE
    }

    fn doc(&self) -> &'static str {
        R::DOC
    }

    fn columns(&self) -> &'static [Column] {
        R::COLUMNS
    }

    fn len(&self) -> usize {
        self.as_slice().len()
    }

    fn row(&self, index: usize) -> Vec<Datum<'_>> {
        self[index].datums()
    }
}

/// Declares a record type: its keys (`cell`, `user` or `session`), then its own fields, each with the doc comment
/// that also explains its column.
macro_rules! record {
    ($(#[doc = $doc:literal])+ $(#[derive($derive:ident)])? $name:ident, $table:literal, cell { $($rest:tt)* }) => {
        record! { @emit [$($doc)+] [$($derive)?] $name, $table, [] {
            /// The scenario.
            scenario: std::sync::Arc<str>,
            /// The arm.
            arm: std::sync::Arc<str>,
            /// The seed.
            seed: u64,
            $($rest)*
        } }
    };
    ($(#[doc = $doc:literal])+ $(#[derive($derive:ident)])? $name:ident, $table:literal, user { $($rest:tt)* }) => {
        record! { @emit [$($doc)+] [$($derive)?] $name, $table, [user] {
            /// The scenario.
            scenario: std::sync::Arc<str>,
            /// The arm.
            arm: std::sync::Arc<str>,
            /// The seed.
            seed: u64,
            /// The user.
            user: std::sync::Arc<str>,
            $($rest)*
        } }
    };
    ($(#[doc = $doc:literal])+ $(#[derive($derive:ident)])? $name:ident, $table:literal, session { $($rest:tt)* }) => {
        record! { @emit [$($doc)+] [$($derive)?] $name, $table, [user] {
            /// The scenario.
            scenario: std::sync::Arc<str>,
            /// The arm.
            arm: std::sync::Arc<str>,
            /// The seed.
            seed: u64,
            /// The user.
            user: std::sync::Arc<str>,
            /// The session; of a background conversation the one that caused it; empty for none.
            session: std::sync::Arc<str>,
            $($rest)*
        } }
    };
    (@emit [$($doc:literal)+] [$($derive:ident)?] $name:ident, $table:literal, [$($user:ident)?] {
        $($(#[doc = $field_doc:literal])+ $field:ident: $type:ty,)+
    }) => {
        $(#[doc = $doc])+
        #[derive(Clone, Debug, PartialEq, Eq, $($derive)?)]
        pub struct $name {
            $($(#[doc = $field_doc])+ pub $field: $type,)+
        }

        impl $crate::records::Record for $name {
            const TABLE: &'static str = $table;
            const DOC: &'static str = concat!($($doc),+);
            const COLUMNS: &'static [$crate::records::Column] = &[$($crate::records::Column {
                name: stringify!($field),
                kind: <$type as $crate::records::field::Field>::KIND,
                optional: <$type as $crate::records::field::Field>::OPTIONAL,
                doc: concat!($($field_doc),+),
            },)+];

            fn datums(&self) -> Vec<$crate::records::Datum<'_>> {
                vec![$($crate::records::field::Field::datum(&self.$field),)+]
            }

            fn read<'a>(
                mut cells: impl FnMut(&'static str) -> Option<&'a str>,
            ) -> Result<Self, &'static $crate::records::Column> {
                let mut columns = Self::COLUMNS.iter();
                let mut next = || columns.next().expect("one column a field");
                Ok(Self {
                    $($field: {
                        let column = next();
                        cells(column.name).and_then($crate::records::field::Field::read).ok_or(column)?
                    },)+
                })
            }

            fn sort_key(&self) -> (&str, &str, u64, &str) {
                (&self.scenario, &self.arm, self.seed, record!(@user self $($user)?))
            }
        }
    };
    (@user $row:ident) => { "" };
    (@user $row:ident $user:ident) => { &$row.$user };
}

pub(crate) use record;
