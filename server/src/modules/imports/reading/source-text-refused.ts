/**
 * A file that cannot be imported; the message is one sentence for the person who uploaded it. Names in it come from the
 * file, so control characters are shown as `\ufffd`: the database takes no NULs.
 */
export class FileRefused extends Error {
  constructor(message: string) {
    super(message.toWellFormed().replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, '\u{fffd}'))
    this.name = 'FileRefused'
  }
}

/** The line that was chosen for the header is blank, none of the file, or names its delimiter alone. */
export class HeaderMissing extends FileRefused {
  constructor(line: number) {
    super(
      `No header begins on line ${line.toLocaleString('en-US')}. Choose the line that has the names of the columns.`,
    )
  }
}
