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
