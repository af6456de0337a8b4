import { foldName } from '@portico/domain/names'
import type { Renaming } from '@portico/domain/pipeline/rename-field'

/**
 * A new name of a field in stored texts. `load` reads saved filters by their ids, and those that they use: `saved` knows
 * only these. Call it before a text that uses them is renamed.
 */
export type StoredRenaming = Renaming & { load: (ids: readonly string[]) => Promise<void> }

/** Fields that are searched together, so that each stored text is read once for all of them. */
export class SoughtFields {
  /** Writes a mark of each field in place of its name. */
  readonly rename: StoredRenaming
  /** Folded names, in the order of the numbers in the marks. */
  readonly names: readonly string[]
  /** Begins each mark, before its number. No stored text can contain it by chance or design. */
  readonly #secret = crypto.randomUUID()
  readonly #known: ReadonlySet<string>

  /** `stored`: the saved filters that texts use. */
  constructor(names: Iterable<string>, stored: Pick<StoredRenaming, 'saved' | 'load'>) {
    this.#known = new Set(Array.from(names, foldName))
    this.names = [...this.#known]
    const marks = this.names.map((name, at): [string, string] => [name, `${this.#secret}(${at})`])
    const [from, to] = marks[0] ?? ['', this.#secret]
    this.rename = { from, to, also: new Map(marks), ...stored }
  }

  /** Returns the folded names of the fields whose marks are in a text that was renamed. */
  markedIn(renamed: string): Set<string> {
    const afterMarks = renamed.split(`${this.#secret}(`).slice(1)
    return new Set(afterMarks.flatMap((rest) => this.names[Number.parseInt(rest, 10)] ?? []))
  }

  /** Returns the folded names of the fields that are among these names. */
  among(names: Iterable<string>): Set<string> {
    return new Set(Array.from(names, foldName).filter((name) => this.#known.has(name)))
  }
}
