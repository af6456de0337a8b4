import type { FieldEntry, TypePreview } from '@portico/contract/fields'
import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, refusal, serveApi } from '#test/server.ts'
import { FieldsPage } from './fields-page.tsx'

const born: FieldEntry = {
  _id: '1',
  version: 1,
  name: 'Born',
  type: 'string',
  chosenFormat: null,
  format: null,
  filled: null,
  distinct: null,
  import: null,
  createdAt: '2026-11-01T10:00:00.000Z',
  changedAt: null,
  typeChange: null,
  deleted: null,
}
const reading = (order: 'day-first' | 'month-first') => ({
  reading: { type: 'day' as const, order },
  converted: 2,
  misfits: { contacts: 120, first: [{ contact: '8589934592', text: 'unknown' }] },
  examples: [{ before: '3/4/2024', after: order === 'day-first' ? '2024-04-03' : '2024-03-04' }],
})
const preview: TypePreview = {
  filled: 122,
  readings: [reading('month-first'), reading('day-first')],
  isAmbiguous: true,
  uses: [
    { kind: 'filter', name: 'In May', problem: '"Born" can be compared with a date, not with "May".' },
    { kind: 'cron', name: null, problem: null },
  ],
  obstacle: null,
}
const list = 'GET /contact-service/v1/fields/details'
const path = '/contact-service/v1/fields/1/type'

beforeEach(() => beSignedIn({ policies: ['contact-fields-list', 'contact-fields-update'], timeZone: 'UTC' }))

async function openDialog() {
  const { user } = renderApp(<FieldsPage />)
  await user.click(await screen.findByRole('button', { name: 'Change the type of Born' }))
  const dialog = await screen.findByRole('dialog', { name: 'Change the type of Born' })
  await user.click(within(dialog).getByRole('combobox', { name: 'New Type' }))
  await user.click(await screen.findByRole('option', { name: 'Date' }))
  return { user, dialog }
}

test('the user chooses the reading if the values fit two', async () => {
  const asked = serveApi({
    [list]: answer([born]),
    [`GET ${path}`]: answer(preview),
    [`PUT ${path}`]: answer({ ...born, typeChange: { type: 'day', status: 'waiting', progress: 0, reason: null } }),
  })
  const { user, dialog } = await openDialog()
  const submit = within(dialog).getByRole('button', { name: 'Change Type' })
  await within(dialog).findByText('These will no longer work until they are changed:')
  expect(
    within(dialog).getByText('Saved filter In May: "Born" can be compared with a date, not with "May".'),
  ).toBeVisible()
  expect(submit).toBeDisabled()
  await user.click(within(dialog).getByRole('combobox', { name: 'How the texts are read' }))
  await user.click(await screen.findByRole('option', { name: /April 3/ }))
  expect(within(dialog).getByText('2 of 122 values convert.')).toBeVisible()
  expect(within(dialog).getByText(/3\/4\/2024 → 2024-04-03/)).toBeVisible()
  expect(within(dialog).getByText('120 contacts will have no value')).toBeVisible()
  expect(within(dialog).getByRole('link', { name: '8589934592' })).toBeVisible()
  // The user must accept the uses that will no longer work.
  expect(submit).toBeDisabled()
  await user.click(
    within(dialog).getByRole('checkbox', { name: 'Change the type, though 1 thing will no longer work' }),
  )
  await user.click(submit)
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(asked.find(({ call }) => call.startsWith('PUT'))?.body).toEqual({
    reading: { type: 'day', order: 'day-first' },
    broken: 1,
  })
})

test('a change for which no value converts needs a confirmation', async () => {
  const nothing = { ...reading('month-first'), converted: 0, examples: [] }
  const asked = serveApi({
    [list]: answer([born]),
    [`GET ${path}`]: answer({ ...preview, readings: [nothing], isAmbiguous: false, uses: [] }),
    [`PUT ${path}`]: answer({ ...born, typeChange: { type: 'day', status: 'waiting', progress: 0, reason: null } }),
  })
  const { user, dialog } = await openDialog()
  expect(await within(dialog).findByText('0 of 122 values convert.')).toBeVisible()
  const submit = within(dialog).getByRole('button', { name: 'Change Type' })
  expect(submit).toBeDisabled()
  await user.click(within(dialog).getByRole('checkbox', { name: 'Change the type, though no value converts' }))
  await user.click(submit)
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(asked.some(({ call }) => call.startsWith('PUT'))).toBe(true)
})

test('obstacles are shown in advance, and disable the change', async () => {
  const obstacle = 'Imports tell contacts apart by "Born".'
  serveApi({ [list]: answer([born]), [`GET ${path}`]: answer({ ...preview, isAmbiguous: false, obstacle }) })
  const { dialog } = await openDialog()
  expect(await within(dialog).findByRole('alert')).toHaveTextContent(obstacle)
  expect(within(dialog).getByRole('button', { name: 'Change Type' })).toBeDisabled()
})

test('a refusal is shown, and the list has the progress of a change, or why it failed', async () => {
  const change = (status: 'processing' | 'rejected') =>
    ({ ...born, typeChange: { type: 'day', status, progress: 0.426, reason: 'The field was deleted.' } }) as const
  serveApi({
    [list]: answer([change('processing'), { ...change('rejected'), _id: '2', name: 'Joined' }]),
    [`GET ${path}`]: answer({ ...preview, isAmbiguous: false }),
    [`PUT ${path}`]: refusal(409, 'field_busy', 'An import or export is running or waiting.'),
  })
  const { user, dialog } = await openDialog()
  await user.click(await within(dialog).findByRole('checkbox'))
  await user.click(within(dialog).getByRole('button', { name: 'Change Type' }))
  expect(await within(dialog).findByRole('alert')).toHaveTextContent('An import or export is running or waiting.')
  expect(screen.getByText('Changing to Date: 42%')).toBeInTheDocument()
  expect(screen.getByText('Change to Date failed: The field was deleted.')).toBeInTheDocument()
})
