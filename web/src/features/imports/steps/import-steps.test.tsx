import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { aPreview, openStep, stepButton } from '#test/import-steps.ts'
import { anImport } from '#test/imports.ts'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, serveApi } from '#test/server.ts'
import { Storage } from '#test/storage.ts'
import { NewImportDialog } from '../new-import/new-import-dialog.tsx'

const imports = '/contact-service/v1/imports'
const link = { url: '/api/files/1/uploads/x?signature=y' }
const portal = (latest: unknown[]) => ({
  [`GET ${imports}`]: answer(latest),
  'GET /contact-service/v1/configuration': answer({ purlColumns: [], dedupColumns: [], notificationEmails: [] }),
  [`POST ${imports}/preview`]: answer(aPreview()),
  'GET /contact-service/v1/uploads/leads.csv': answer(link),
})

const leads = new File(['First,Last,Email\nAda,Lovelace,ada@example.com\n'], 'leads.csv', { type: 'text/csv' })
const onClose = vi.fn<() => void>()

beforeEach(() => {
  Storage.install()
  onClose.mockReset()
  beSignedIn({ policies: ['contact-imports-create'] })
})

async function openDialog(answers: Parameters<typeof serveApi>[0]): Promise<ReturnType<typeof renderApp>> {
  serveApi(answers)
  const rendered = renderApp(<NewImportDialog shown={[]} onClose={onClose} />)
  await screen.findByRole('textbox', { name: 'Import Name' })
  return rendered
}

const chooseFile = async (file = leads): Promise<void> => {
  const input = document.querySelector<HTMLInputElement>('input[type="file"]')
  if (!input) throw new Error('there is no choice of files')
  Object.defineProperty(input, 'files', { value: [file], configurable: true })
  input.dispatchEvent(new Event('change', { bubbles: true }))
  await screen.findByText(file.name)
}

test('a submission reports what is missing, and marks steps and tabs; nothing is marked before', async () => {
  const { user } = await openDialog(portal([]))
  expect(screen.queryByText('(has errors)')).not.toBeInTheDocument()
  expect(stepButton('Options')).toBeDisabled()
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  expect(await screen.findAllByText('Value is required!')).not.toHaveLength(0)
  expect(stepButton('File')).toHaveAccessibleName(/^File ?\(has errors\)$/)
  await user.click(stepButton('Options'))
  expect(stepButton('Options')).toHaveAccessibleName(/^Options ?\(has errors\)$/)
  expect(screen.getByRole('tab', { name: 'Main Info' })).toBeVisible()
  for (const tab of ['PURL Columns', 'Dedup Columns']) {
    expect(screen.getByRole('tab', { name: new RegExp(`^${tab} ?\\(has errors\\)$`) })).toBeVisible()
  }
  expect(Storage.puts).toEqual([])
})

test('Next stays in a step with problems, and opens each step with the focus on its heading', async () => {
  const { user } = await openDialog(portal([anImport()]))
  await user.click(screen.getByRole('button', { name: 'Next' }))
  expect(stepButton('File')).toHaveAttribute('aria-current', 'step')
  expect(screen.getAllByText('Value is required!')).toHaveLength(2)
  await chooseFile()
  await user.type(screen.getByRole('textbox', { name: 'Import Name' }), 'Autumn leads{Enter}')
  expect(await screen.findByRole('heading', { name: 'Step 2 of 4: Match' })).toHaveFocus()
  expect(await screen.findByRole('table', { name: 'File columns' })).toBeVisible()
  await openStep(user, 'Options')
  expect(screen.getByRole('heading', { name: 'Step 3 of 4: Options' })).toHaveFocus()
  expect(stepButton('Review')).toBeDisabled()
  await user.click(screen.getByRole('button', { name: 'Back' }))
  expect(stepButton('Match')).toHaveAttribute('aria-current', 'step')
  await user.click(stepButton('File'))
  expect(screen.getByRole('textbox', { name: 'Import Name' })).toHaveValue('Autumn leads')
})

test('closing asks if something was filled in; Cancel discards it', async () => {
  const { user } = await openDialog(portal([]))
  await user.type(screen.getByRole('textbox', { name: 'Import Name' }), 'Half')
  for (const close of ['{Escape}', 'button']) {
    if (close === 'button') await user.click(screen.getByRole('button', { name: 'Close' }))
    else await user.keyboard(close)
    const question = await screen.findByRole('dialog', { name: 'Discard this import?' })
    await user.click(within(question).getByRole('button', { name: 'Keep editing' }))
    await waitFor(() => expect(question).not.toBeInTheDocument())
    expect(screen.getByRole('textbox', { name: 'Import Name' })).toHaveValue('Half')
  }
  expect(onClose).not.toHaveBeenCalled()
  await user.click(screen.getByRole('button', { name: 'Close' }))
  await user.click(await screen.findByRole('button', { name: 'Discard' }))
  expect(onClose).toHaveBeenCalledTimes(1)
  await user.click(screen.getByRole('button', { name: 'Cancel', hidden: true }))
  expect(onClose).toHaveBeenCalledTimes(2)
})
