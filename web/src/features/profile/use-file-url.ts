import { useEffect, useState } from 'react'

/** A URL for the content of a file, while it is chosen. */
export function useFileUrl(file: File | null): string | null {
  const [shown, setShown] = useState<{ file: File; url: string } | null>(null)
  useEffect(() => {
    if (!file) return undefined
    const url = URL.createObjectURL(file)
    // Made here and not while drawing, so that every URL created is revoked.
    // oxlint-disable-next-line react/set-state-in-effect -- the address has to be made in the effect that gives it back
    setShown({ file, url })
    return () => URL.revokeObjectURL(url)
  }, [file])
  return shown !== null && shown.file === file ? shown.url : null
}
