import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, renderHook, waitFor } from '@testing-library/react'
import type { ReactNode } from 'react'
import { beforeEach, expect, test, vi } from 'vitest'
import { beSignedIn } from '#test/server.ts'
import { useLiveList } from './live-list.ts'

let line: ReadableStreamDefaultController<Uint8Array>
let opened: RequestInit[] = []
let asked: string[] = []
const client = new QueryClient()
const invalidate = vi.spyOn(client, 'invalidateQueries')
const wrapper = ({ children }: { children: ReactNode }) => (
  <QueryClientProvider client={client}>{children}</QueryClientProvider>
)
const say = (text: string): Promise<void> => act(async () => line.enqueue(new TextEncoder().encode(text)))

beforeEach(() => {
  opened = []
  asked = []
  invalidate.mockClear()
  beSignedIn()
  vi.stubGlobal('fetch', (address: string, init: RequestInit) => {
    if (!address.endsWith('/changes')) {
      asked.push(address)
      return Promise.resolve(Response.json({ error: { code: 'unavailable', message: 'Away.' } }, { status: 503 }))
    }
    opened.push(init)
    const body = new ReadableStream<Uint8Array>({ start: (controller) => void (line = controller) })
    return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }))
  })
})

test('reloads the list only when its own mark changes, even if the stream is split anywhere', async () => {
  const { result } = renderHook(() => useLiveList('imports'), { wrapper })
  await waitFor(() => expect(opened).toHaveLength(1))
  expect(new Headers(opened[0]?.headers).get('accept')).toBe('text/event-stream')
  expect(result.current).toBe(false)
  await say('event: marks\nda')
  await say('ta: {"imports":"a","exports":"x"}\n\n: still here\n\n')
  await waitFor(() => expect(result.current).toBe(true))
  expect(invalidate.mock.calls).toEqual([[{ queryKey: ['imports'] }]])
  await say('event: marks\ndata: {"imports":"a","exports":"y"}\n\n')
  expect(invalidate).toHaveBeenCalledTimes(1)
  await say('event: marks\ndata: {"imports":"b","exports":"y"}\n\n')
  await waitFor(() => expect(invalidate).toHaveBeenCalledTimes(2))
})

test('reports that updates have stopped when the connection breaks, and closes it with the screen', async () => {
  const { result, unmount } = renderHook(() => useLiveList('exports'), { wrapper })
  await waitFor(() => expect(opened).toHaveLength(1))
  await say('event: marks\ndata: {"exports":"a"}\n\n')
  await waitFor(() => expect(result.current).toBe(true))
  await act(async () => line.close())
  await waitFor(() => expect(result.current).toBe(false))
  unmount()
  expect(opened[0]?.signal?.aborted).toBe(true)
})

test('reloads the rights when the portal announces a change and when it ends the connection', async () => {
  const { unmount } = renderHook(() => useLiveList('imports'), { wrapper })
  await waitFor(() => expect(opened).toHaveLength(1))
  await say('event: marks\ndata: {"imports":"a"}\n\n')
  await say('event: rights\ndata: {}\n\n')
  await waitFor(() => expect(asked).toEqual(['/api/identity/v1/user']))
  expect(invalidate).toHaveBeenCalledTimes(1)
  await act(async () => line.close())
  await waitFor(() => expect(asked).toHaveLength(2))
  unmount()
})

test('reconnects less and less often if the connection keeps ending', async () => {
  vi.useFakeTimers()
  try {
    const { unmount } = renderHook(() => useLiveList('imports'), { wrapper })
    const endAndWait = async (ms: number) => {
      await act(async () => line.close())
      await act(() => vi.advanceTimersByTimeAsync(ms))
      return opened.length
    }
    await act(() => vi.advanceTimersByTimeAsync(0))
    expect(opened).toHaveLength(1)
    expect(await endAndWait(10_000)).toBe(2)
    expect(await endAndWait(19_000)).toBe(2)
    await act(() => vi.advanceTimersByTimeAsync(1000))
    expect(opened).toHaveLength(3)
    // A stream that has lasted is reopened soon.
    await act(() => vi.advanceTimersByTimeAsync(61_000))
    expect(await endAndWait(10_000)).toBe(4)
    unmount()
  } finally {
    vi.useRealTimers()
  }
})
