/** Keeps a number of entries, the last ones that were set. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #most: number

  constructor(most: number) {
    super()
    this.#most = most
  }

  /** Makes the entry the latest, and drops the entry that was set longest ago if there are too many. */
  override set(key: Key, value: Value): this {
    this.delete(key)
    super.set(key, value)
    const [oldest] = this.keys()
    if (oldest !== undefined && this.size > this.#most) this.delete(oldest)
    return this
  }
}
