import { beforeEach, expect, test, vi } from 'vitest'
import { loadScreen, ScreenLoadError } from './load-screen.ts'

const broken = (): Promise<never> => Promise.reject(new TypeError('Failed to fetch dynamically imported module'))
const assign = vi.fn<(path: string) => void>()

beforeEach(() => {
  sessionStorage.clear()
  assign.mockClear()
  vi.stubGlobal('location', { pathname: '/other', assign })
  vi.stubGlobal('fetch', () => Promise.resolve(new Response()))
})

test('a screen that loads is the route’s component', async () => {
  const Screen = () => null
  expect(await loadScreen('/a', () => Promise.resolve(Screen))).toEqual({ Component: Screen })
})

test('the first failure loads the page again at the screen, the second says so', async () => {
  void loadScreen('/contact-service/imports', broken)
  await vi.waitFor(() => expect(assign).toHaveBeenCalledWith('/contact-service/imports'))
  await expect(loadScreen('/contact-service/imports', broken)).rejects.toBeInstanceOf(ScreenLoadError)
  expect(assign).toHaveBeenCalledOnce()
})

test('a portal that is away does not cost the page', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
  await expect(loadScreen('/contact-service/imports', broken)).rejects.toBeInstanceOf(ScreenLoadError)
  expect(assign).not.toHaveBeenCalled()
})

test('code that does not come within two minutes counts as not loaded', async () => {
  vi.useFakeTimers()
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
  const loading = loadScreen('/contact-service/imports', () => new Promise<never>(() => undefined))
  const outcome = loading.catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(119_000)
  expect(vi.getTimerCount()).toBe(1)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await outcome).toBeInstanceOf(ScreenLoadError)
  vi.useRealTimers()
})
