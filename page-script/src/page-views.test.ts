import { afterEach, expect, test, vi } from 'vitest'
import { watchViews } from './page-views.ts'

// jsdom has no Navigation API: the history is watched instead. e2e/tests/page-script.spec.ts watches both in a browser.

afterEach(() => history.replaceState(null, '', '/'))

test('each new path is a page view, however the page got there', () => {
  const onView = vi.fn<() => void>(() => void paths.push(location.pathname))
  const paths: string[] = []
  watchViews(onView)
  history.pushState(null, '', '/offers')
  history.pushState(null, '', '/offers?sort=price')
  history.replaceState({ scroll: 1 }, '', '/offers#top')
  history.replaceState(null, '', '/terms')
  history.pushState(null, '', '/offers')
  expect(paths).toEqual(['/offers', '/terms', '/offers'])
  expect(onView).toHaveBeenCalledTimes(3)
})

test('restoring a page from the back/forward cache is a page view, loading it is not', () => {
  const onView = vi.fn<() => void>()
  watchViews(onView)
  window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: false }))
  expect(onView).not.toHaveBeenCalled()
  window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))
  expect(onView).toHaveBeenCalledOnce()
})
