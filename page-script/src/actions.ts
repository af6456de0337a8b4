import { selectorOf } from './event.ts'

/** Calls `track` for clicks and submitted forms that the page has marked. */
export function watchActions(track: (code: string, details: object) => void): void {
  for (const [type, code] of [
    ['click', 'click'],
    ['submit', 'form_submit'],
  ] as const) {
    const attribute = `data-portico-${type}`
    // Captured: a page that stops the event from going on does not lose it.
    addEventListener(
      type,
      ({ target }) => {
        const element = target instanceof Element && target.closest(`[${attribute}]`)
        if (element) track(element.getAttribute(attribute) || code, { event_element: selectorOf(element) })
      },
      true,
    )
  }
}
