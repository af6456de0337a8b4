import { useEffect, useRef, useState } from 'react'
import { Outlet, useLocation, useNavigation } from 'react-router'
import { useRightsRefresh } from '#lib/session/rights-refresh.ts'
import { useUser } from '#lib/session/session.ts'
import { useSetting } from '#lib/settings.ts'
import { areaOf } from '../screens.ts'
import { ImpersonationBanner } from './impersonation-banner.tsx'
import { InactivityWatch } from './inactivity-watch.tsx'
import { useLastPage } from './last-page.ts'
import { useOnDemand } from './palette/on-demand.ts'
import { useShortcuts } from './palette/shortcuts.ts'
import { SideMenu } from './side-menu.tsx'
import { TopBar } from './top-bar.tsx'
import css from './shell.module.css'

/** The frame of every signed-in page: top bar (or impersonation banner), side menu, and the screen. */
export function Shell() {
  const user = useUser()
  const [isExpanded, setExpanded] = useSetting('keepMenuExpanded')
  const { pathname, key } = useLocation()
  // Bound to the location: any navigation closes it.
  const [drawerOpenAt, setDrawerOpenAt] = useState<string | null>(null)
  const main = useFocusOnNewPage(pathname)
  const extras = useExtras()
  const area = areaOf(pathname)
  const hasSide = area?.screens !== undefined
  const toggleMenu = (): void => setExpanded(!isExpanded)
  useRightsRefresh()
  useLastPage()
  const { openPalette, openSheet } = extras
  useShortcuts({ onPalette: openPalette, onHelp: openSheet, onMenuToggle: toggleMenu })

  const { Part: NarrowMenu, ask: askForMenu } = useOnDemand(async () => (await import('./narrow-menu.tsx')).NarrowMenu)
  const openDrawer = (): void => {
    askForMenu()
    setDrawerOpenAt(key)
  }
  return (
    <div className={css['shell']} data-expanded={isExpanded || undefined} data-side={hasSide || undefined}>
      <a className={css['skip']} href="#main" onClick={() => main.current?.focus()}>
        Skip to the content
      </a>
      {user.isImpersonated ? (
        <ImpersonationBanner onDrawerOpen={openDrawer} />
      ) : (
        <TopBar
          isMenuExpanded={hasSide ? isExpanded : null}
          onMenuToggle={toggleMenu}
          onDrawerOpen={openDrawer}
          onPaletteOpen={openPalette}
          onShortcutsOpen={openSheet}
        />
      )}
      {hasSide && (
        <aside className={css['side']}>
          <SideMenu area={area} isMini={!isExpanded} />
        </aside>
      )}
      <main id="main" ref={main} tabIndex={-1} className={css['main']}>
        <NavigationBar />
        {/* Entering another account resets the screen's state. */}
        <Outlet key={user.account} />
      </main>
      {NarrowMenu && <NarrowMenu isOpen={drawerOpenAt === key} onClose={() => setDrawerOpenAt(null)} />}
      {extras.shown}
      <InactivityWatch minutes={user.preferences.timeout} />
    </div>
  )
}

/** The command palette and the sheet of shortcuts, whose code is loaded on first use. */
function useExtras() {
  const palette = useOnDemand(async () => (await import('./palette/palette.tsx')).Palette)
  const sheet = useOnDemand(async () => (await import('./palette/shortcuts-sheet.tsx')).ShortcutsSheet)
  const [asked, setAsked] = useState(0)
  const [isSheetOpen, setSheetOpen] = useState(false)
  const { ask: askForPalette, Part: Palette } = palette
  const { ask: askForSheet, Part: Sheet } = sheet
  const openSheet = (): void => {
    askForSheet()
    setSheetOpen(true)
  }
  const openPalette = (): void => {
    askForPalette()
    setAsked((times) => times + 1)
  }
  const shown = (
    <>
      {Palette && <Palette asked={asked} onShortcutsOpen={openSheet} />}
      {Sheet && <Sheet isOpen={isSheetOpen} onClose={() => setSheetOpen(false)} />}
    </>
  )
  return { openPalette, openSheet, shown }
}

/** A line at the top while the next screen's code is loading. */
function NavigationBar() {
  const isOnTheWay = useNavigation().state === 'loading'
  return isOnTheWay ? <output className={css['progress']} aria-label="Loading" /> : null
}

/** Longer than a dialog takes to fade. */
const fadeMs = 300

/**
 * Screen readers and the keyboard start at the top of the new page, as after a page load. A dialog keeps the focus: a
 * page whose code arrives late must not take keys typed meanwhile.
 */
function useFocusOnNewPage(pathname: string) {
  const main = useRef<HTMLElement>(null)
  const shown = useRef(pathname)
  useEffect(() => {
    if (shown.current === pathname) return undefined
    shown.current = pathname
    window.scrollTo(0, 0)
    const start = (): boolean => {
      if (document.activeElement?.closest('[aria-modal="true"]')) return false
      main.current?.focus({ preventScroll: true })
      return true
    }
    if (start()) return undefined
    // The palette that led here is still fading, unless it has been opened again.
    const timer = window.setTimeout(start, fadeMs)
    return () => window.clearTimeout(timer)
  }, [pathname])
  return main
}
