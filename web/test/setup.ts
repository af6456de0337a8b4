import '@testing-library/jest-dom/vitest'
import { cleanup, configure } from '@testing-library/react'
import { afterEach, vi } from 'vitest'

// Files share a process: each starts with its own globals, modules, storage and address.
vi.unstubAllGlobals()
vi.resetModules()
localStorage.clear()
sessionStorage.clear()
window.history.replaceState(null, '', '/')

afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

// Generous, because machines that run tests are often busy: elements may take longer than a second to appear.
configure({ asyncUtilTimeout: 20_000 })

// Browser features that components need and jsdom lacks.

Object.defineProperty(window, 'matchMedia', {
  writable: true,
  value: (media: string): Partial<MediaQueryList> => ({
    media,
    matches: false,
    onchange: null,
    addEventListener: () => {},
    removeEventListener: () => {},
    // From older browsers, but still called by some components.
    addListener: () => {},
    removeListener: () => {},
    dispatchEvent: () => false,
  }),
})

window.ResizeObserver = class implements ResizeObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}

Element.prototype.scrollIntoView = () => {}
Element.prototype.scrollTo = () => {}

Object.defineProperty(document, 'fonts', {
  configurable: true,
  value: { ready: Promise.resolve(), addEventListener: () => {}, removeEventListener: () => {} },
})
