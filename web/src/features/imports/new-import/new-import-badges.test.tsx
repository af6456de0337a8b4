import type { Import } from '@portico/contract/imports'
import { screen } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { anImport } from '#test/imports.ts'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, serveApi } from '#test/server.ts'
import { NewImportDialog } from './new-import-dialog.tsx'

beforeEach(() => beSignedIn({ policies: ['contact-imports-create'] }))

async function openDialog(latest: Import[]) {
  const sent = serveApi({
    'GET /contact-service/v1/imports': answer(latest),
    'GET /contact-service/v1/configuration': answer({ purlColumns: [], dedupColumns: [], notificationEmails: [] }),
  })
  const { user } = renderApp(<NewImportDialog shown={[]} onClose={() => {}} />)
  await screen.findByRole('textbox', { name: 'Import Name' })
  return { user, sent }
}

async function chooseFile(): Promise<void> {
  const input = document.querySelector<HTMLInputElement>('input[type="file"]')
  if (!input) throw new Error('no file input')
  const file = new File(['First,Last,Email\nAda,Lovelace,ada@example.com\n'], 'leads.csv', { type: 'text/csv' })
  Object.defineProperty(input, 'files', { value: [file], configurable: true })
  input.dispatchEvent(new Event('change', { bubbles: true }))
  await screen.findByText(/3 columns/)
}

test('a dedup column that the file lacks is an error at its tab', async () => {
  const { user, sent } = await openDialog([anImport({ dedupColumns: ['Customer'] })])
  await chooseFile()
  await user.type(screen.getByRole('textbox', { name: 'Import Name' }), 'Autumn leads')
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  expect(await screen.findByText('The file has no column "Customer".')).toBeVisible()
  expect(sent.filter(({ call }) => !call.startsWith('GET') || call.includes('uploads'))).toEqual([])
})

test('badges mark the tabs where something is missing, from the start', async () => {
  const { user } = await openDialog([])
  const marked = () =>
    screen
      .getAllByRole('tab')
      .flatMap(({ textContent }) => /^(.*?) ?\(has errors\)$/.exec(textContent ?? '')?.[1] ?? [])
  expect(marked()).toEqual(['Main Info', 'PURL Columns', 'Dedup Columns'])
  await chooseFile()
  await user.type(screen.getByRole('textbox', { name: 'Import Name' }), 'Autumn leads')
  expect(marked()).toEqual(['PURL Columns', 'Dedup Columns'])
  await user.click(screen.getByRole('switch', { name: 'Generate PURL' }))
  expect(marked()).toEqual([])
})
