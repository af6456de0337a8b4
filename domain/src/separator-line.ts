// Spreadsheets that save such a file again add delimiters up to its last column.
const separatorLine = /^("?)sep=(\t|[^\w\s"])\1\2*$/i

/**
 * The character that the first line of a file names as its delimiter, as files for Excel do: `sep=;`, alone or in quotes.
 * Null for any other line. Such a line is no header.
 */
export const namedDelimiter = (line: string): string | null => separatorLine.exec(line)?.[2] ?? null
