//! Trace and record formats, statistics, tables, plots, HTML and JUnit.
