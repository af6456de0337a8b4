// Spreadsheets that save such a file again add delimiters up to its last column.
const separatorLine = /^("?)sep=(\t|[^\w\s"])\1\2*$/i

/**
 * Returns the character that the first line of a file declares as its delimiter, as in files for Excel: `sep=;`, with
 * or without quotes. Null for any other line. Such a line is not a header.
 */
export const namedDelimiter = (line: string): string | null => separatorLine.exec(line)?.[2] ?? null
