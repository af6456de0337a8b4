import { selectorOf } from './event.ts'

/** Calls `track` for clicks and submitted forms that the page has marked. */
export function watchActions(track: (code: string, details: object) => void): void {
  for (const [type, code] of [
    ['click', 'click'],
    ['submit', 'form_submit'],
  ] as const) {
    const attribute = `data-portico-${type}`
    // In the capture phase: stopping propagation in the page does not hide the event.
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
