/** A failed attempt with a reason for users. `isFinal`: retrying is useless until a user changes something. */
export class DeliveryFailed extends Error {
  readonly isFinal: boolean

  constructor(reason: string, isFinal = false) {
    super(reason)
    this.name = 'DeliveryFailed'
    this.isFinal = isFinal
  }
}
