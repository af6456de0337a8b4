import '@testing-library/jest-dom/vitest'
import { cleanup, configure } from '@testing-library/react'
import { afterEach, vi } from 'vitest'

// Files share a process: each begins with globals, modules, storage and an address of its own.
vi.unstubAllGlobals()
vi.resetModules()
localStorage.clear()
sessionStorage.clear()
window.history.replaceState(null, '', '/')

afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

// Generous, since machines that run tests are often busy: what is waited for need not be there within a second.
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
    // Of older browsers, but still called by some components.
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
