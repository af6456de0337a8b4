import { mostHandedOver, type OwnedItem, type PersonDetails } from '@portico/contract/people'
import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, serveApi } from '#test/server.ts'
import { HandOverDialog } from './hand-over-dialog.tsx'

const path = 'POST /identity/v1/people/7/hand-over'
// The dialog reads no other values.
const person = { _id: '7', email: 'leaver@example.com' } as PersonDetails
const staying = (from: number, count: number): OwnedItem[] =>
  Array.from({ length: count }, (_item, at) => ({
    kind: 'cron',
    _id: `${from + at}`,
    name: `Nightly ${from + at}`,
    account: { Key: 1, Value: 'Main' },
    refusal: 'It reads fields that they may not read.',
  }))

test('a full list is followed by the next one, of which what moves is handed over', async () => {
  beSignedIn()
  const last: OwnedItem = { ...staying(mostHandedOver, 1)[0]!, refusal: null }
  const sent = serveApi({
    [`${path}/preview`]: ({ body }) =>
      answer((body as { skip: number }).skip === 0 ? staying(0, mostHandedOver) : [last]),
    [path]: answer({ moved: [last], stayed: [] }),
  })
  const { user } = renderApp(<HandOverDialog person={person} onClose={() => {}} />)
  await user.type(screen.getByLabelText(/^To \(email\)/), 'heir@example.com')
  await user.click(screen.getByRole('button', { name: 'Show What Moves' }))
  await user.click(await screen.findByRole('button', { name: 'Show the Next 500 of Each Kind' }))
  await user.click(await screen.findByRole('button', { name: 'Hand Over 1 Item' }))
  await waitFor(() => expect(sent.at(-1)).toMatchObject({ call: path, body: { items: [last._id] } }))
  expect(sent.flatMap(({ call, body }) => (call.endsWith('preview') ? [body] : []))).toEqual([
    { email: 'heir@example.com', skip: 0 },
    { email: 'heir@example.com', skip: mostHandedOver },
  ])
  expect(screen.queryByRole('button', { name: /^Show the Next/ })).toBeNull()
})
