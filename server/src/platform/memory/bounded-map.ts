/** Keeps a limited number of entries: the ones that were set last. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #most: number

  constructor(most: number) {
    super()
    this.#most = most
  }

  /** Makes the entry the newest, and drops the oldest entry if there are too many. */
  override set(key: Key, value: Value): this {
    this.delete(key)
    super.set(key, value)
    const [oldest] = this.keys()
    if (oldest !== undefined && this.size > this.#most) this.delete(oldest)
    return this
  }
}
