// The script that web pages load: fills in the visitor's columns and records events. Stores nothing in the browser.
import { watchActions } from './actions.ts'
import { announce, makeCalls } from './calls.ts'
import { type Delivery, startDelivery } from './delivery.ts'
import { fillElements, type Visitor } from './elements.ts'
import { makeEvent } from './event.ts'
import { watchViews } from './page-views.ts'
import { readVisitorKey, sharedPath } from './visitor-key.ts'

/** The script's only global. */
type Portico = {
  /** Records an event. Fields of `details` are the page's own. */
  track: (code: string, details?: object) => void
  /** The visitor allows calls; `false` withdraws the consent. */
  consent: (isGiven?: boolean) => void
  /** The visitor's public columns; null if unknown, or if the portal does not respond at once. */
  visitor: Promise<Visitor | null>
}

/** Records calls of the page until the script has loaded. */
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
  // The script's URL is one of the portal's public calls, so the others are next to it.
  const urlOf = (call: string): string => `${new URL(`${dataset['account']}/${call}`, src).href}?${key}`

  let delivery: Delivery | null = null
  let shown: Visitor | null = null
  let resolveVisitor: (visitor: Visitor | null) => void
  const visitor = new Promise<Visitor | null>((resolve) => (resolveVisitor = resolve))
  const show = (next: Visitor | null): void => {
    shown = next
    fillElements(next)
    resolveVisitor(next)
    announce('visitor', next)
  }

  const track = (code: string, details?: object): void => {
    if (key) delivery?.add(makeEvent(code, sharedPath(location.pathname, key), details))
  }
  const trackView = (): void => {
    if (dataset['track'] !== 'off') track('page_view')
  }
  const consent = (isGiven = true): void => {
    if (!isGiven && delivery) {
      delivery.stop()
      delivery = null
      show(null)
    } else if (isGiven && !delivery && key) {
      // The response arrives later, possibly after consent was withdrawn.
      const started: Delivery = startDelivery(
        makeCalls(urlOf, (next) => {
          if (delivery === started) show(next)
        }),
      )
      delivery = started
      trackView()
    }
  }

  // More elements may appear: the page may still be loading, or render later.
  new MutationObserver(() => fillElements(shown)).observe(document, { childList: true, subtree: true })
  if (key) fillElements(null)
  else show(null)
  watchViews(trackView)
  watchActions(track)
  watchEnds(() => delivery)
  if (dataset['consent'] !== 'required') whenSeen(consent)
  return { track, consent, visitor }
}

/** Sends waiting events before the page may end, and continues when the browser is back online. */
function watchEnds(current: () => Delivery | null): void {
  addEventListener('online', () => current()?.resume())
  addEventListener('pagehide', () => current()?.flush())
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') current()?.flush()
  })
}

/** A prerendered page may never be seen. */
function whenSeen(run: () => void): void {
  if (document.prerendering) document.addEventListener('prerenderingchange', () => run(), { once: true })
  else run()
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
