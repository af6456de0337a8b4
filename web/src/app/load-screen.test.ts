import { beforeEach, expect, test, vi } from 'vitest'
import { loadScreen, ScreenLoadError } from './load-screen.ts'

const broken = (): Promise<never> => Promise.reject(new TypeError('Failed to fetch dynamically imported module'))
const reload = vi.fn<() => void>()
const imports = { pathname: '/contact-service/imports', search: '?name=Spring', hash: '', state: { from: 1 }, key: 'k' }
const goingToImports = () => imports

beforeEach(() => {
  sessionStorage.clear()
  reload.mockClear()
  window.history.replaceState(null, '', '/other')
  const { pathname, search, hash } = window.location
  vi.stubGlobal('location', { pathname, search, hash, reload })
  vi.stubGlobal('fetch', () => Promise.resolve(new Response()))
})

test('a screen that loads is the component of the route', async () => {
  const Screen = () => null
  expect(await loadScreen(goingToImports, () => Promise.resolve(Screen))).toEqual({ Component: Screen })
})

test('the first failure reloads the page at the screen, the second one throws', async () => {
  const before = window.history.length
  void loadScreen(goingToImports, broken)
  await vi.waitFor(() => expect(reload).toHaveBeenCalledOnce())
  expect(document.location.href).toMatch(/\/contact-service\/imports\?name=Spring$/)
  expect(window.history.state).toEqual({ usr: { from: 1 }, key: 'k' })
  expect(window.history).toHaveLength(before + 1)
  await expect(loadScreen(goingToImports, broken)).rejects.toBeInstanceOf(ScreenLoadError)
  expect(reload).toHaveBeenCalledOnce()
})

test('a reload of the current screen adds no history entry', async () => {
  const before = window.history.length
  void loadScreen(() => ({ ...imports, pathname: '/other', search: '' }), broken)
  await vi.waitFor(() => expect(reload).toHaveBeenCalledOnce())
  expect(window.history).toHaveLength(before)
})

test('the page does not reload while the portal is unreachable', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
  await expect(loadScreen(goingToImports, broken)).rejects.toBeInstanceOf(ScreenLoadError)
  expect(reload).not.toHaveBeenCalled()
})

test('code that does not come within two minutes counts as not loaded', async () => {
  vi.useFakeTimers()
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
  const loading = loadScreen(goingToImports, () => new Promise<never>(() => undefined))
  const outcome = loading.catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(119_000)
  expect(vi.getTimerCount()).toBe(1)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await outcome).toBeInstanceOf(ScreenLoadError)
  vi.useRealTimers()
})
