/**
 * Countries by sub-region (UN M49): alpha-2, alpha-3 and numeric code of ISO 3166 in one word. Kosovo, which has none,
 * stands under those in use for it. Antarctica is left out: no map shows it.
 */
const bySubRegion: Record<string, string> = {
  '143': 'KGKGZ417 KZKAZ398 TJTJK762 TMTKM795 UZUZB860',
  '145':
    'AEARE784 AMARM051 AZAZE031 BHBHR048 CYCYP196 GEGEO268 ILISR376 IQIRQ368 JOJOR400 KWKWT414 LBLBN422 OMOMN512 PSPSE275 QAQAT634 SASAU682 SYSYR760 TRTUR792 YEYEM887',
  '151': 'BGBGR100 BYBLR112 CZCZE203 HUHUN348 MDMDA498 PLPOL616 ROROU642 RURUS643 SKSVK703 UAUKR804',
  '154':
    'AXALA248 DKDNK208 EEEST233 FIFIN246 FOFRO234 GBGBR826 GGGGY831 IEIRL372 IMIMN833 ISISL352 JEJEY832 LTLTU440 LVLVA428 NONOR578 SESWE752 SJSJM744',
  '155': 'ATAUT040 BEBEL056 CHCHE756 DEDEU276 FRFRA250 LILIE438 LULUX442 MCMCO492 NLNLD528',
  '015': 'DZDZA012 EGEGY818 EHESH732 LYLBY434 MAMAR504 SDSDN729 TNTUN788',
  '011':
    'BFBFA854 BJBEN204 CICIV384 CVCPV132 GHGHA288 GMGMB270 GNGIN324 GWGNB624 LRLBR430 MLMLI466 MRMRT478 NENER562 NGNGA566 SHSHN654 SLSLE694 SNSEN686 TGTGO768',
  '017': 'AOAGO024 CDCOD180 CFCAF140 CGCOG178 CMCMR120 GAGAB266 GQGNQ226 STSTP678 TDTCD148',
  '014':
    'BIBDI108 DJDJI262 ERERI232 ETETH231 IOIOT086 KEKEN404 KMCOM174 MGMDG450 MUMUS480 MWMWI454 MZMOZ508 REREU638 RWRWA646 SCSYC690 SOSOM706 SSSSD728 TFATF260 TZTZA834 UGUGA800 YTMYT175 ZMZMB894 ZWZWE716',
  '018': 'BWBWA072 LSLSO426 NANAM516 SZSWZ748 ZAZAF710',
  '039':
    'ADAND020 ALALB008 BABIH070 ESESP724 GIGIB292 GRGRC300 HRHRV191 ITITA380 MEMNE499 MKMKD807 MTMLT470 PTPRT620 RSSRB688 SISVN705 SMSMR674 VAVAT336 XKXKX000',
  '021': 'BMBMU060 CACAN124 GLGRL304 PMSPM666 USUSA840',
  '029':
    'AGATG028 AIAIA660 AWABW533 BBBRB052 BLBLM652 BQBES535 BSBHS044 CUCUB192 CWCUW531 DMDMA212 DODOM214 GDGRD308 GPGLP312 HTHTI332 JMJAM388 KNKNA659 KYCYM136 LCLCA662 MFMAF663 MQMTQ474 MSMSR500 PRPRI630 SXSXM534 TCTCA796 TTTTO780 VCVCT670 VGVGB092 VIVIR850',
  '013': 'BZBLZ084 CRCRI188 GTGTM320 HNHND340 MXMEX484 NINIC558 PAPAN591 SVSLV222',
  '005':
    'ARARG032 BOBOL068 BRBRA076 BVBVT074 CLCHL152 COCOL170 ECECU218 FKFLK238 GFGUF254 GSSGS239 GYGUY328 PEPER604 PYPRY600 SRSUR740 UYURY858 VEVEN862',
  '030': 'CNCHN156 HKHKG344 JPJPN392 KPPRK408 KRKOR410 MNMNG496 MOMAC446 TWTWN158',
  '034': 'AFAFG004 BDBGD050 BTBTN064 ININD356 IRIRN364 LKLKA144 MVMDV462 NPNPL524 PKPAK586',
  '035': 'BNBRN096 IDIDN360 KHKHM116 LALAO418 MMMMR104 MYMYS458 PHPHL608 SGSGP702 THTHA764 TLTLS626 VNVNM704',
  '053': 'AUAUS036 CCCCK166 CXCXR162 HMHMD334 NFNFK574 NZNZL554',
  '054': 'FJFJI242 NCNCL540 PGPNG598 SBSLB090 VUVUT548',
  '057': 'FMFSM583 GUGUM316 KIKIR296 MHMHL584 MPMNP580 NRNRU520 PWPLW585 UMUMI581',
  '061': 'ASASM016 CKCOK184 NUNIU570 PFPYF258 PNPCN612 TKTKL772 TOTON776 TVTUV798 WFWLF876 WSWSM882',
}

/** Continents and other groups of sub-regions (UN M49). */
const subRegions: Record<string, string[]> = {
  '002': ['015', '011', '017', '014', '018'],
  '019': ['021', '029', '013', '005'],
  '142': ['143', '030', '034', '035', '145'],
  '150': ['154', '155', '151', '039'],
  '009': ['053', '054', '057', '061'],
  '003': ['021', '029', '013'],
  '419': ['029', '013', '005'],
  '202': ['011', '017', '014', '018'],
}

/** `numeric` has three digits, as the atlas writes it. */
export type Country = { alpha2: string; alpha3: string; numeric: string }

const countriesOf = (words: string): Country[] =>
  words.split(' ').map((word) => ({ alpha2: word.slice(0, 2), alpha3: word.slice(2, 5), numeric: word.slice(5) }))

export const countries: readonly Country[] = Object.values(bySubRegion).flatMap(countriesOf)

const byNumeric = new Map(countries.map(({ numeric, alpha2 }) => [numeric, alpha2]))

/** Shapes of the atlas that have no code. The glacier of Siachen is claimed by two countries, and given to none. */
const byAtlasName: Record<string, string> = {
  Kosovo: 'XK',
  Somaliland: 'SO',
  'N. Cyprus': 'CY',
  'Indian Ocean Ter.': 'CX',
}

/** The alpha-2 code of a shape of the atlas; null for those without. */
export const codeOfShape = (id: string | undefined, name: string): string | null =>
  (id === undefined ? undefined : byNumeric.get(id)) ??
  (Object.hasOwn(byAtlasName, name) ? byAtlasName[name] : undefined) ??
  null

/** The alpha-2 codes in a continent or sub-region (three digits); null for another code. */
export function codesIn(region: string): string[] | null {
  const parts = Object.hasOwn(subRegions, region)
    ? subRegions[region]
    : Object.hasOwn(bySubRegion, region)
      ? [region]
      : null
  return parts ? parts.flatMap((part) => countriesOf(bySubRegion[part] ?? '').map(({ alpha2 }) => alpha2)) : null
}

/** Where countries are that the small atlas does not show: code, degrees east and degrees north. */
const smallCountries =
  'AD 1.6 42.5, AG -61.8 17.1, AI -63.1 18.2, AS -170.7 -14.3, AW -70 12.5, AX 19.9 60.2, BB -59.6 13.2, BH 50.5 26, BL -62.8 17.9, BM -64.8 32.3, BQ -68.3 12.2, BV 3.4 -54.4, CC 96.9 -12.1, CK -159.8 -21.2, CV -23.6 15.1, CW -69 12.2, CX 105.6 -10.5, DM -61.4 15.4, FM 158.2 6.9, FO -6.9 62.2, GD -61.7 12.1, GF -53.1 3.9, GG -2.6 49.5, GI -5.4 36.1, GP -61.6 16.2, GS -36.7 -54.4, GU 144.8 13.4, HK 114.1 22.4, HM 73.5 -53.1, IM -4.5 54.2, IO 72.4 -7.3, JE -2.1 49.2, KI -157.4 1.9, KM 43.3 -11.7, KN -62.7 17.3, KY -81.3 19.3, LC -61 13.9, LI 9.5 47.1, MC 7.4 43.8, MF -63.1 18.1, MH 171.2 7.1, MO 113.5 22.2, MP 145.7 15.2, MQ -61 14.7, MS -62.2 16.7, MT 14.4 35.9, MU 57.6 -20.3, MV 73.5 4.2, NF 167.9 -29.1, NR 166.9 -0.5, NU -169.9 -19, PF -149.4 -17.7, PM -56.3 46.9, PN -128.3 -24.4, PW 134.6 7.5, RE 55.5 -21.1, SC 55.5 -4.7, SG 103.8 1.4, SH -5.7 -16, SJ 16 78.5, SM 12.5 43.9, ST 6.6 0.2, SX -63.1 18.1, TC -71.7 21.8, TK -171.9 -9.2, TO -175.2 -21.2, TV 179.2 -8.5, UM 166.6 19.3, VA 12.4 41.9, VC -61.2 13.3, VG -64.6 18.4, VI -64.8 17.7, WF -178.1 -14.3, WS -172.4 -13.6, YT 45.2 -12.8'

/** Middle of small countries, by their codes: degrees east and north. */
export const placesOfSmall: ReadonlyMap<string, [number, number]> = new Map(
  smallCountries.split(', ').map((text) => {
    const [code = '', east, north] = text.split(' ')
    return [code, [Number(east), Number(north)]]
  }),
)
