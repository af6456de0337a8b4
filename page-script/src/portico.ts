// The script that web pages load: fills in the visitor's columns and records events. Stores nothing in the browser.
import { type Delivery, startDelivery } from './delivery.ts'
import { fillElements, type Visitor } from './elements.ts'
import { makeEvent, now, type PageEvent, selectorOf } from './event.ts'
import { watchViews } from './page-views.ts'
import { readVisitorKey, sharedPath } from './visitor-key.ts'

/** The one global of a page. */
type Portico = {
  /** Records an event. Fields of `details` are the page's own. */
  track: (code: string, details?: object) => void
  /** The visitor allows calls; `false` withdraws it. */
  consent: (isGiven?: boolean) => void
  /** The visitor's public columns; null if unknown, or if the portal does not answer at once. */
  visitor: Promise<Visitor | null>
}

/** Notes calls of the page until the script has loaded. */
type EarlyPortico = Omit<Portico, 'visitor'> & { calls: [name: 'track' | 'consent', ...input: unknown[]][] }

declare global {
  interface Window {
    portico?: Portico | EarlyPortico
  }
  interface Navigator {
    globalPrivacyControl?: boolean
  }
  interface Document {
    prerendering?: boolean
  }
}

/** Runs with the attributes of the script's own tag. */
function start({ dataset, src }: HTMLScriptElement): Portico {
  const key = navigator.globalPrivacyControl || !dataset['account'] ? null : readVisitorKey(dataset, location)
  // The script is one of the portal's public calls, so the others are next to it.
  const urlOf = (call: string): string => `${new URL(`${dataset['account']}/${call}`, src).href}?${key}`

  let delivery: Delivery | null = null
  /** Number of withdrawals: an answer to a call made before one is not shown. */
  let withdrawals = 0
  let resolveVisitor: (visitor: Visitor | null) => void
  const visitor = new Promise<Visitor | null>((resolve) => (resolveVisitor = resolve))
  let shown: Visitor | null = null

  const announce = (name: string, detail: unknown): void => {
    document.dispatchEvent(new CustomEvent(`portico:${name}`, { detail }))
  }
  const show = (next: Visitor | null): void => {
    shown = next
    fillElements(next)
    resolveVisitor(next)
    announce('visitor', next)
  }

  const read = async (): Promise<number> => {
    const before = withdrawals
    let visitor: Visitor | null = null
    try {
      const reply = await fetch(urlOf('offers'), { credentials: 'omit' })
      if (reply.ok) visitor = (await reply.json()) as Visitor
      return reply.status
    } finally {
      // Also after a failure: the page learns that the visitor is unknown for now.
      if (withdrawals === before) show(visitor)
    }
  }
  const send = async (events: PageEvent[], isLeaving: boolean): Promise<number> => {
    const body = JSON.stringify({ sentAt: now(), events })
    const url = urlOf('events')
    const isBeacon = isLeaving && !('keepalive' in Request.prototype)
    const status = isBeacon
      ? navigator.sendBeacon(url, body) && 202
      : // Text needs no preflight, which would not outlive the page.
        (await fetch(url, { method: 'POST', body, keepalive: true, credentials: 'omit' })).status
    if (status === 202) announce('sent', events)
    return Number(status)
  }

  const track = (code: unknown, details?: object): void => {
    if (key) delivery?.add(makeEvent(code, sharedPath(location.pathname, key), details))
  }
  const trackView = (): void => {
    if (dataset['track'] !== 'off') track('page_view')
  }
  const consent = (isGiven = true): void => {
    if (!isGiven && delivery) {
      delivery.stop()
      delivery = null
      withdrawals++
      show(null)
    } else if (isGiven && !delivery && key) {
      delivery = startDelivery({ read, send })
      trackView()
    }
  }
  const flush = (): void => delivery?.flush()

  // Elements may follow: the page may still be loading, or draw itself later.
  new MutationObserver(() => fillElements(shown)).observe(document, { childList: true, subtree: true })
  if (key) fillElements(null)
  else show(null)
  watchViews(trackView)
  for (const [type, code] of [
    ['click', 'click'],
    ['submit', 'form_submit'],
  ] as const) {
    const attribute = `data-portico-${type}`
    // Captured, so that a page that stops the event does not lose it.
    addEventListener(
      type,
      ({ target }) => {
        const element = target instanceof Element && target.closest(`[${attribute}]`)
        if (element) track(element.getAttribute(attribute) || code, { event_element: selectorOf(element) })
      },
      true,
    )
  }
  addEventListener('online', () => delivery?.resume())
  addEventListener('pagehide', flush)
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') flush()
  })
  if (dataset['consent'] !== 'required') {
    // A page that is loaded ahead may never be seen.
    if (document.prerendering) document.addEventListener('prerenderingchange', () => consent(), { once: true })
    else consent()
  }
  return { track, consent, visitor }
}

const script = document.currentScript
const early = window.portico
// A page may load the script twice, for example through a tag manager.
if (script instanceof HTMLScriptElement && !(early && 'visitor' in early)) {
  const portico = start(script)
  window.portico = portico
  for (const [name, ...input] of early?.calls ?? []) {
    // As for any call by a page, the input is unchecked.
    ;(portico[name] as (...input: unknown[]) => void)(...input)
  }
}
