-- Imports remember the sheet of the workbook that they read.
ALTER TABLE :account.imports ADD COLUMN file_sheet text;
