/** An event in the form of the portal's collector. */
export type PageEvent = Record<string, string | number | boolean>

/** Limits of the portal: one long text must never cause a batch to be refused. */
const limits = { code: 200, path: 500, details: 12, name: 50, text: 500 }

/** Returns a new event with the current time. `details` are fields of the page's own. */
export function makeEvent(code: string, path: string, details: object = {}): PageEvent {
  return {
    ...detailsOf(details),
    // Lets the portal recognize a repeated event.
    id: crypto.getRandomValues(new Uint32Array(4)).join('-'),
    // Pages are not type-checked.
    event_code: String(code).slice(0, limits.code),
    event_date: now(),
    event_path: path.slice(0, limits.path),
  }
}

/** The time by the visitor's clock; the portal corrects it by the time at which a batch is sent. */
export const now = (): string => new Date().toISOString()

/** Removes names and values that the portal refuses or drops. */
function detailsOf(details: object): PageEvent {
  const taken = Object.entries(details as Record<string, unknown>).flatMap(
    ([name, value]): [string, PageEvent[string]][] => {
      if (!name || name.length > limits.name) return []
      if (typeof value === 'string') return [[name, value.slice(0, limits.text)]]
      return typeof value === 'boolean' || (typeof value === 'number' && isFinite(value)) ? [[name, value]] : []
    },
  )
  return Object.fromEntries(taken.slice(0, limits.details))
}

/** Returns a short selector, such as `button#order` or `a.call-to-action`. */
export function selectorOf({ localName, id, classList }: Element): string {
  return localName + (id ? `#${id}` : [...classList].map((name) => `.${name}`).join(''))
}
