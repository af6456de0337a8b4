import type { Import } from '@portico/contract/imports'
import { screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { aPreview, openStep, stepButton } from '#test/import-steps.ts'
import { anImport } from '#test/imports.ts'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, refusal, serveApi } from '#test/server.ts'
import { Storage } from '#test/storage.ts'
import { NewImportDialog } from './new-import-dialog.tsx'

beforeEach(() => beSignedIn({ policies: ['contact-imports-create'] }))

async function openDialog(latest: Import[], more: Parameters<typeof serveApi>[0] = {}) {
  const sent = serveApi({
    'GET /contact-service/v1/imports': answer(latest),
    'GET /contact-service/v1/configuration': answer({ purlColumns: [], dedupColumns: [], notificationEmails: [] }),
    ...more,
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

test('a dedup column missing from the file is an error on its tab', async () => {
  const { user, sent } = await openDialog([anImport({ dedupColumns: ['Customer'] })])
  await chooseFile()
  await user.type(screen.getByRole('textbox', { name: 'Import Name' }), 'Autumn leads')
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  expect(await screen.findByText(/^The file has no column "Customer"\. Map a column to it/)).toBeVisible()
  expect(sent.filter(({ call }) => !call.startsWith('GET') || call.includes('uploads'))).toEqual([])
})

test('marks go as soon as the problems are solved', async () => {
  const { user } = await openDialog([])
  const marked = () =>
    screen.getAllByText('(has errors)').map(({ parentElement }) => parentElement?.textContent?.replace(' (has', '(has'))
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  expect(marked()).toEqual([
    'File(has errors)',
    'Options(has errors)',
    'PURL Columns(has errors)',
    'Dedup Columns(has errors)',
  ])
  await chooseFile()
  await user.type(screen.getByRole('textbox', { name: 'Import Name' }), 'Autumn leads')
  expect(marked()).toEqual(['Options(has errors)', 'PURL Columns(has errors)', 'Dedup Columns(has errors)'])
  await user.click(stepButton('Options'))
  await user.click(screen.getByRole('tab', { name: 'Main Info' }))
  await user.click(screen.getByRole('switch', { name: 'Generate PURL' }))
  expect(screen.queryByText('(has errors)')).not.toBeInTheDocument()
})

test('a file that the preview refuses is not submitted until the problem is fixed', async () => {
  Storage.install()
  const message = 'Choose pipe as file delimiter.'
  const { user, sent } = await openDialog([anImport()], {
    'GET /contact-service/v1/uploads/leads.csv': answer({ url: '/api/files/1/uploads/x?signature=y' }),
    'POST /contact-service/v1/imports/preview': ({ body }) =>
      (body as { fileDelimiter: string }).fileDelimiter === 'pipe'
        ? answer(aPreview({ rows: [] }))
        : refusal(400, 'invalid_input', message, [{ field: 'filePath', message }]),
  })
  await chooseFile()
  await user.type(screen.getByRole('textbox', { name: 'Import Name' }), 'Autumn leads')
  await openStep(user, 'Match')
  expect(await screen.findByText(message)).toBeVisible()
  expect(stepButton('Match')).toHaveAccessibleName(/^Match ?\(has errors\)$/)
  await openStep(user, 'File')
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  expect(await screen.findByText(message)).toBeVisible()
  expect(stepButton('Match')).toHaveAttribute('aria-current', 'step')
  expect(sent.map(({ call }) => call)).not.toContain('POST /contact-service/v1/imports')

  await openStep(user, 'File')
  await user.click(screen.getByRole('combobox', { name: 'File Delimiter' }))
  await user.click(await screen.findByRole('option', { name: 'Pipe' }))
  await waitFor(() => expect(stepButton('Match')).toHaveAccessibleName('Match'))
})
