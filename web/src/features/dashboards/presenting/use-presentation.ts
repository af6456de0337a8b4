import { useCallback, useEffect, useState } from 'react'

/** How a dashboard is shown: on its screen, as printed, or in full screen. */
type Mode = 'screen' | 'print' | 'full'

export type Presentation = { mode: Mode; print: () => void; showFull: () => void; end: () => void }

export function usePresentation(): Presentation {
  const [mode, setMode] = useState<Mode>('screen')
  const print = useCallback(() => setMode('print'), [])
  const showFull = useCallback(() => {
    setMode('full')
    // Browsers may refuse full screen. The dashboard then fills the window.
    void document.documentElement.requestFullscreen().catch(() => undefined)
  }, [])
  const end = useCallback(() => {
    setMode('screen')
    if (document.fullscreenElement) void document.exitFullscreen()
  }, [])
  useEffect(() => {
    if (mode !== 'full') return undefined
    const onChange = (): void => {
      if (!document.fullscreenElement) setMode('screen')
    }
    document.addEventListener('fullscreenchange', onChange)
    return () => document.removeEventListener('fullscreenchange', onChange)
  }, [mode])
  return { mode, print, showFull, end }
}
