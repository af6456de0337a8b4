import { QueryClient, QueryClientProvider, useMutation } from '@tanstack/react-query'
import { act, renderHook, waitFor } from '@testing-library/react'
import type { ReactNode } from 'react'
import { beforeEach, expect, test, vi } from 'vitest'
import { aDashboard } from '#test/dashboards.ts'
import { beSignedIn } from '#test/server.ts'
import { deletionKey, useDashboard, useLiveDashboards } from './dashboard-queries.ts'

let stream: ReadableStreamDefaultController<Uint8Array>
let asked: string[] = []
let endDeletion: (error?: Error) => void

beforeEach(() => {
  asked = []
  beSignedIn()
  vi.stubGlobal('fetch', (address: string) => {
    const path = address.slice(address.lastIndexOf('/') + 1)
    if (path !== 'changes') {
      asked.push(path)
      return Promise.resolve(Response.json(aDashboard({ _id: path })))
    }
    const body = new ReadableStream<Uint8Array>({ start: (controller) => void (stream = controller) })
    return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }))
  })
})

const mark = (value: string): Promise<void> =>
  act(async () => stream.enqueue(new TextEncoder().encode(`event: marks\ndata: {"dashboards":"${value}"}\n\n`)))

async function openBoth() {
  const client = new QueryClient()
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  )
  const { result } = renderHook(
    () => {
      useLiveDashboards()
      useDashboard('deleted')
      useDashboard('kept')
      return useMutation({
        mutationKey: deletionKey,
        mutationFn: (_id: string) =>
          new Promise<void>((resolve, reject) => {
            endDeletion = (error) => (error ? reject(error) : resolve())
          }),
      })
    },
    { wrapper },
  )
  await mark('a')
  await waitFor(() => expect(asked.toSorted()).toEqual(['deleted', 'kept']))
  asked = []
  return result
}

test('a change reloads every open dashboard, except one that this page is deleting', async () => {
  const deletion = await openBoth()
  await mark('b')
  await waitFor(() => expect(asked.toSorted()).toEqual(['deleted', 'kept']))
  await act(async () => deletion.current.mutate('deleted'))
  asked = []
  await mark('c')
  await waitFor(() => expect(asked).toEqual(['kept']))
  await act(async () => endDeletion())
  await mark('d')
  await waitFor(() => expect(asked).toEqual(['kept', 'kept']))
})

test('after a failed deletion the dashboard follows changes again', async () => {
  const deletion = await openBoth()
  await act(async () => deletion.current.mutate('deleted'))
  await act(async () => endDeletion(new Error('Refused.')))
  await mark('b')
  await waitFor(() => expect(asked.toSorted()).toEqual(['deleted', 'kept']))
})
