/**
 * A file that cannot be imported; the message is one sentence for the person who uploaded it. Names in it come from the
 * file, so control characters are shown as `\ufffd`: the database does not accept NULs.
 */
export class FileRefused extends Error {
  constructor(message: string) {
    super(message.toWellFormed().replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, '\u{fffd}'))
    this.name = 'FileRefused'
  }
}

/** The chosen header line is blank, not in the file, or only names the delimiter. */
export class HeaderMissing extends FileRefused {
  constructor(line: number) {
    super(
      `No header begins on line ${line.toLocaleString('en-US')}. Choose the line that has the names of the columns.`,
    )
  }
}
