import { act, screen } from '@testing-library/react'
import { Link } from 'react-router'
import { expect, test } from 'vitest'
import { LeaveDialog } from '#ui/dialog/leave-dialog.tsx'
import { renderApp } from '#test/render.tsx'
import { mayLeave, unsavedQuestion, useLeaving } from './unsaved.ts'

function Page({ isLossy }: { isLossy: boolean }) {
  return (
    <>
      <Link to="/elsewhere">Elsewhere</Link>
      <Link to="/here?page=2">Second page</Link>
      <LeaveDialog leaving={useLeaving(isLossy)} title="Unsaved changes" question={unsavedQuestion} />
    </>
  )
}

const isBrowserAsking = (): boolean => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }))

test('leaving with unsaved changes asks; Stay stays and Leave leaves', async () => {
  const { user, address } = renderApp(<Page isLossy />, '/here')
  expect(isBrowserAsking()).toBe(true)
  await user.click(screen.getByRole('link', { name: 'Elsewhere' }))
  expect(await screen.findByText('Do you really want to leave? you have unsaved changes!')).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Stay' }))
  expect(address()).toBe('/here')
  await user.click(screen.getByRole('link', { name: 'Elsewhere' }))
  await user.click(await screen.findByRole('button', { name: 'Leave' }))
  expect(address()).toBe('/elsewhere')
})

test('changing only the query of the same page does not ask', async () => {
  const { user, address } = renderApp(<Page isLossy />, '/here')
  await user.click(screen.getByRole('link', { name: 'Second page' }))
  expect(address()).toBe('/here?page=2')
})

test('without changes there is no question', async () => {
  const { user, address } = renderApp(<Page isLossy={false} />, '/here')
  expect(isBrowserAsking()).toBe(false)
  await user.click(screen.getByRole('link', { name: 'Elsewhere' }))
  expect(address()).toBe('/elsewhere')
})

test('leaving without a navigation asks too', async () => {
  const { user, unmount } = renderApp(<Page isLossy />, '/here')
  const answered = async (button: string): Promise<boolean> => {
    let leaves: Promise<boolean> = Promise.resolve(true)
    act(() => void (leaves = mayLeave()))
    await user.click(await screen.findByRole('button', { name: button }))
    return leaves
  }
  expect(await answered('Stay')).toBe(false)
  expect(await answered('Leave')).toBe(true)
  unmount()
  expect(await mayLeave()).toBe(true)
})
