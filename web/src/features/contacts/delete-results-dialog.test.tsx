import { parsePipeline } from '@portico/domain/pipeline/pipeline-json'
import { act, fireEvent, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, refusal, serveApi } from '#test/server.ts'
import { DeleteResultsDialog } from './delete-results-dialog.tsx'
import { Elapsed, elapsedText } from './elapsed-time.tsx'

const stages = [{ $match: { City: 'Oslo' } }]
const call = 'DELETE /contact-service/v1/offers'

function renderDialog(onClose = vi.fn<() => void>()) {
  const rendered = renderApp(
    <DeleteResultsDialog
      stages={parsePipeline(stages)}
      sentence="Contacts whose City is “Oslo”."
      count={12}
      onClose={onClose}
    />,
  )
  return { ...rendered, onClose }
}

const box = (count: number) =>
  screen.findByRole('textbox', { name: `To delete ${count} records, type ${count} in the following box` })
const submit = () => screen.getByRole('button', { name: 'Submit' })

beforeEach(() => beSignedIn())
afterEach(() => vi.useRealTimers())

test('only the exact number enables Submit, which deletes, confirms and closes', async () => {
  const sent = serveApi({ [call]: answer({ deletedCount: 12 }) })
  const { user, onClose } = renderDialog()
  expect(submit()).toBeDisabled()
  await user.type(await box(12), '13')
  expect(screen.getByText('Value is invalid!')).toBeVisible()
  expect(submit()).toBeDisabled()
  await user.clear(await box(12))
  await user.type(await box(12), '12')
  await user.click(submit())
  expect(await screen.findByText('12 records were deleted. This can be undone for 30 days.')).toBeVisible()
  expect(onClose).toHaveBeenCalledOnce()
  expect(sent.find((one) => one.call === call)?.body).toEqual({ filter: stages, deletedRecords: 12 })
})

test('a changed number is shown and has to be typed again', async () => {
  serveApi({
    [call]: refusal(409, 'count_changed', '14 contacts match now, not 12. Nothing was deleted.', { count: 14 }),
  })
  const { user, onClose } = renderDialog()
  await user.type(await box(12), '12{Enter}')
  expect(await screen.findByText('14 contacts match now, not 12. Nothing was deleted.')).toBeVisible()
  expect(await box(14)).toHaveValue('')
  expect(submit()).toBeDisabled()
  expect(onClose).not.toHaveBeenCalled()
})

test('a concurrent delete is refused in the dialog', async () => {
  const text = 'A delete request is already in progress. Please try again after a while.'
  serveApi({ [call]: refusal(409, 'delete_in_progress', text) })
  const { user } = renderDialog()
  await user.type(await box(12), '12{Enter}')
  expect(await screen.findByRole('alert')).toHaveTextContent(text)
  expect(await box(12)).toHaveValue('12')
})

test('during the delete the dialog cannot be submitted or closed, and the elapsed time is shown', async () => {
  vi.stubGlobal('fetch', () => new Promise(() => undefined))
  const { onClose } = renderDialog()
  fireEvent.change(await box(12), { target: { value: '12' } })
  fireEvent.click(submit())
  expect(await screen.findByRole('timer', { name: 'Elapsed time' })).toHaveTextContent('00:00:0')
  expect(screen.getByRole('button', { name: 'Cancel' })).toBeDisabled()
  fireEvent.keyDown(document.body, { key: 'Escape' })
  expect(onClose).not.toHaveBeenCalled()
})

test('the elapsed time has hours, minutes and seconds, and ticks every second', () => {
  expect(elapsedText(3 * 3600 + 4 * 60 + 5)).toBe('03:04:05')
  vi.useFakeTimers()
  renderApp(<Elapsed />)
  expect(screen.getByRole('timer')).toHaveTextContent('00:00:00')
  act(() => void vi.advanceTimersByTime(1000))
  expect(screen.getByRole('timer')).toHaveTextContent('00:00:01')
  act(() => void vi.advanceTimersByTime(60_000))
  expect(screen.getByRole('timer')).toHaveTextContent('00:01:01')
})
