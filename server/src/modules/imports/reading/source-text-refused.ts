/** A file that cannot be imported; the message is one sentence for the person who uploaded it. */
export class FileRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'FileRefused'
  }
}
