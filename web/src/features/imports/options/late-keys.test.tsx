import type { KeyComputation } from '@portico/contract/dedup-keys'
import type { Import } from '@portico/contract/imports'
import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openStep } from '#test/import-steps.ts'
import { anImport } from '#test/imports.ts'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, refusal, serveApi } from '#test/server.ts'
import { NewImportDialog } from '../new-import/new-import-dialog.tsx'

const keys = '/contact-service/v1/dedup-keys'
const file = new File(['Mail\nada@x\n'], 'leads.csv', { type: 'text/csv' })
const computation: KeyComputation = {
  _id: '1',
  dedupColumns: ['Email'],
  status: 'processing',
  creator: 'ann@example.com',
  creationDate: '2026-01-31T10:00:00.000Z',
  totalRecords: 3000,
  processedRecords: 1500,
  keyedRecords: 1499,
  blankRecords: 0,
  duplicateRecords: 1,
  duplicates: [{ contact: '8', other: '7' }],
  reason: null,
}

/** Opens the tab 'Dedup Columns' of a new import after this one. */
async function openTab(last: Import) {
  const { user } = renderApp(<NewImportDialog shown={[last]} onClose={() => {}} />)
  await user.type(await screen.findByRole('textbox', { name: 'Import Name' }), 'Autumn leads')
  const input = document.querySelector<HTMLInputElement>('input[type="file"]')
  if (!input) throw new Error('there is no choice of files')
  await user.upload(input, file)
  await openStep(user, 'Options')
  await user.click(screen.getByRole('tab', { name: /Dedup Columns/ }))
  return user
}

test('keys for existing contacts are computed from the dedup columns, and duplicates are listed', async () => {
  beSignedIn({ policies: ['contact-imports-create'] })
  let state: unknown = { contactsWithoutKey: 3000, computation: null }
  let reply = refusal(409, 'import_running', 'An import is running.')
  const sent = serveApi({
    'GET /contact-service/v1/imports': answer([]),
    'GET /contact-service/v1/configuration': answer({ purlColumns: [], dedupColumns: [], notificationEmails: [] }),
    [`GET ${keys}`]: () => answer(state),
    [`POST ${keys}`]: () => reply,
  })
  const user = await openTab(anImport())
  expect(await screen.findByText(/^3,000 contacts have no key yet/)).toBeVisible()
  const button = screen.getByRole('button', { name: 'Compute keys for existing contacts' })
  expect(button).toBeDisabled()
  await user.type(screen.getByRole('combobox', { name: 'Dedup Columns' }), 'Email{Enter}')
  await user.click(button)
  expect(await screen.findByText('An import is running.')).toBeVisible()

  reply = answer({ ...computation, status: 'waiting' }, 202)
  state = { contactsWithoutKey: 0, computation }
  await user.click(button)
  expect(await screen.findByRole('status')).toHaveTextContent('Computing keys: 1,500 of 3,000 contacts')
  expect(sent.findLast(({ call }) => call === `POST ${keys}`)?.body).toEqual({ dedupColumns: ['Email'] })
  state = {
    contactsWithoutKey: 0,
    computation: { ...computation, status: 'completed', keyedRecords: 2998, blankRecords: 1 },
  }
  expect(await screen.findByText('2,998 contacts have a key. 1 contact has no value in these columns.')).toBeVisible()
  expect(screen.getByText('8: as 7')).toBeVisible()
})

test('keys are computed again from the fixed columns when the contacts that had them are gone', async () => {
  beSignedIn({ policies: ['contact-imports-create'] })
  const last = anImport({ status: 'completed' })
  let state = { contactsWithoutKey: 2, computation: { ...computation, status: 'completed' } }
  const sent = serveApi({
    'GET /contact-service/v1/imports': answer([last]),
    'GET /contact-service/v1/configuration': answer({ purlColumns: [], dedupColumns: [], notificationEmails: [] }),
    [`GET ${keys}`]: () => answer(state),
    [`POST ${keys}`]: () => {
      state = { ...state, contactsWithoutKey: 0 }
      return answer({ ...computation, status: 'waiting' }, 202)
    },
  })
  const user = await openTab(last)
  expect(await screen.findByText(/^2 contacts have no key yet/)).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Compute keys for existing contacts' }))
  expect(sent.findLast(({ call }) => call === `POST ${keys}`)?.body).toEqual({ dedupColumns: last.dedupColumns })
  // The duplicates that are left are listed in no later dialog.
  await waitFor(() => expect(screen.queryByText(/no key yet/)).toBeNull())
  expect(screen.queryByText('8: as 7')).toBeNull()
})
