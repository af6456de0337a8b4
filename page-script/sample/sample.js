// The site's own script: reacts to the visitor, and shows the work of portico.js. Loaded before portico.js, whose
// events it listens to.

/** Resolves to an element of the page, once the page is loaded. */
const byId = async (/** @type {string} */ id) => {
  if (document.readyState === 'loading') {
    await new Promise((resolve) => document.addEventListener('DOMContentLoaded', resolve, { once: true }))
  }
  return document.getElementById(id) ?? document.createElement('i')
}

const write = async (/** @type {string} */ id, /** @type {string} */ text) => {
  const element = await byId(id)
  element.textContent = text
}

document.addEventListener('portico:visitor', (event) => {
  const columns = event instanceof CustomEvent ? event.detail : null
  void write('visitor', columns ? 'known' : 'unknown: the page shows its own texts')
  void write('columns', columns ? Object.keys(columns).join(', ') : 'none')
})

document.addEventListener('portico:sent', (event) => {
  if (event instanceof CustomEvent) void list(event.detail)
})

/** Lists events in the panel. */
const list = async (/** @type {{ event_code: string, event_path: string, event_element?: string }[]} */ events) => {
  const place = await byId('sent')
  const none = await byId('none')
  none.hidden = true
  for (const { event_code, event_path, event_element } of events) {
    const item = document.createElement('li')
    const code = document.createElement('code')
    code.textContent = event_code
    item.append(code, ` ${event_element ?? event_path}`)
    place.append(item)
  }
}

addEventListener(
  'error',
  ({ target }) => {
    if (target instanceof HTMLScriptElement)
      void write('visitor', 'portico.js is blocked: the page shows its own texts')
  },
  true,
)

document.addEventListener('click', ({ target }) => {
  if (!(target instanceof HTMLButtonElement) || !target.classList.contains('pick')) return
  target.textContent = 'Saved'
  target.disabled = true
})

document.addEventListener('submit', (event) => {
  event.preventDefault()
  const form = event.target
  if (!(form instanceof HTMLFormElement)) return
  const seats = Number(new FormData(form).get('guests'))
  // `portico` is missing if the portal's script is blocked; the site works without it.
  window.portico?.track('seats_reserved', { seats })
  void write('thanks', seats === 1 ? 'One seat is reserved.' : `${seats} seats are reserved.`)
})
