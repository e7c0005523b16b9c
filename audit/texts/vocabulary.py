"""Words by which the readers of licence files tell names from conditions; each list is small, and errs towards conditions."""


def words(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


CONDITIONS = words(
    """
    accept access action affirm agree agreement agreements allow allowed any applicable apply approval are ask assert be
    been bound broken can cannot change changed commercial commercially compliance comply concerning condition conditions
    consent contact contract copied copies copy copying damage damages deal deny derivative disclaim disclaimed disclaimer
    disclaims disclose distribute distributed distributing distribution do does edit embargo endorse enforce evaluation
    except exclude excluding exclusive exempt express fee fitness forbid forbidden forbids free freely grant granted grants
    has have hereby hold if illegal implied indemnify infringe internal is kind law legal liability liable licence licenced
    licences license licensed licensee licenses limitation makes may means merchantability military must needs neither never
    no non noncommercial none nor not notify obey obligation obtain only owned patent pay permission permissions permit
    permits permitted private prohibit prohibited prohibits promote proprietary provide provided purpose purposes
    redistribute redistributed redistribution refrain remove removed reproduce request require required requires restrict
    restricted restriction restrictions retain retained royalty sale sell shall should sold source subject sublicense such
    term terminate terms than that these this those trial unlawful unless unlimited until usage use used user users using
    violate void waive warranties warranty when where whether which will without would you your
    """
)
"""Words of conditions: where one stands, words are no names. Far more than the law needs: a doubt costs an id, no more."""

RESTRICTING = words(
    """
    academia academic academics additional addendum amended beta charity clause commons community confidential
    contractual covenant customer customers demo education educational employee employees enterprise evaluation expired expires
    exclusion government hobby hobbyist hobbyists home however individuals just later legally licensing military modified nonprofit
    noncommercially note notwithstanding only ours paid partner partners personal premium profit profits research researcher
    researchers school schools secret sole solely student students subscriber subscribers subscription unlicensed
    unmodified universities university valid void
    annulled cancelled draft former formerly historical inactive invalid obsolete outdated previously proposed replaced rescinded
    revoked superseded terminated withdrawn
    because before after cost costs dollar dollars during each euro euros every he her him his how pays payable paying payment
    price she they us we what while who whom whose why
    """
)
"""Words that narrow for whom, what or when something is, as a name could ("Foo, academic edition"), and words that stand in sentences, not in names."""

NAMES = words(
    """
    Access Action Ask Can Change Free Grant Internal Kind Law Legal May Private Provide Sell Sold Source Will You
    """
)
"""Words of conditions that are names, too, or parts of them, when only their first letter is large."""

SENTENCE = words(
    """
    and are as designation disclaimer disclaimers doctrines exceptions for has holder holders if in including information
    infringement interest interests is law laws licence licences license licensed licenses licensing management message must
    notice notices notification of on or over owner owners ownership permission permissions policy protection protects remains
    restrictions resulting rights somewhere statement statements status subsists terms text that to treaties treaty under
    used vested which with work works years
    """
)
"""What follows "copyright" where a sentence goes on, in the texts of SPDX's list; a test compares."""

JOINING = words(
    """
    a al also and authors by c co community contributors corp da de del der developers di et for from gmbh in inc individual
    its la le llc ltd members of on other others plc portions project team the to und van von y
    """
)
"""Words in small letters that stand between names."""

DESCRIBED = words(
    """
    adapted added based began called came combining comes compiling contain contained contains contributed coded converted copied derived
    designed developed documented embedded extracted fill filled fixed forked formerly found generated hosted implement implements implemented imported
    included includes inspired involved known maintained merged modified named optimised optimized originated parses ported provides
    reads rewritten runs salvaged sponsored supported supports tested translated updated wrote written
    """
)
"""Verbs of sentences that say what code is and where it comes from; none of them can allow, ask or forbid anything."""

DESCRIBING = DESCRIBED | words(
    """
    a about abstraction available acknowledgments acknowledgements after algorithm algorithms alphabetical also amount amounts an and another api apis are array arrays as
    at atomic author authors back basic bit bits block bootstrap buffer buffers build building builds by byte bytes c character characters checksum
    checksums chunk cipher class code codec collection command common compatible compatibility compiler component components compound
    compression computation compute computes contributor contributors contributions core data database date decoder default definitions
    dictionary different digest directory documentation driver each earlier editor encoder encryption engine entries entry equivalent example examples extension fast
    file files filter first folder following font fonts for format formats framework frequency from full fully function functions game glue grammar graphics
    group hash header headers helper here http https image images implementation implementations in initial input instance interface into is
    iterative its kernel language languages large latest layer library libraries like line lines linear list lists loop macro macros made main major management manual
    many map math mathematical memory message messages method methods model module modules most much name native network new next number numbers object objects
    of official on one operating operations optional or order org original originally other others output package packages parallel parser part
    partially partly parts patch patches pattern patterns people platform platforms plugin plugins portable portability position previous primarily primitive processing
    processor program programs project projects protocol provider public python random reader readers real reference regular release releases
    repository routine routines sample script scripts second section segmentation self server several set sets simple small some source sources standard statistics stream streams
    string strings structure structures style subset subsystem sum system systems table tables team template templates test tests text that the
    their there these they thanks this those thread three through time title to together tool tools toolkit training tree two type types
    uncompressed unicode unit university used utilities utility various vector version versions very was were web website well which windows with word words
    work works wrapper www
    """
)
"""Words of such sentences: with these and names alone, nothing can be allowed, asked or forbidden."""

DOUBTFUL = words(
    """
    anybody anyone anything closed everybody everyone everything freeware gratis hobby nobody nonfree nothing payware preview
    restricted secret shareware trialware unfree
    """
)
"""Words that are no names, even with a large first letter."""

LAW = words(
    """
    agreement contributor contributors copyright damages granted hereby herein infringe infringement liability liable
    license licensee licensor merchantability patent permission redistribute redistribution shall sublicense terms
    warranties warranty
    """
)
"""Words that stand in terms more than anywhere else."""

PLAIN = words(
    """
    a all and any apache are as at available below both bsd by choice choose code content copies copy copyright details different
    distributed dual dually either file files follow following follows for found full gnu granted here in is it its library
    license licensed licenses licensing like made may module multi of option or our package parts portions program project
    provided public released repository reproduced see software source terms text texts the their this to tri two under use
    used version with work you your
    """
)
"""Words of a sentence that only says which licences there are; with these alone nothing can be forbidden, asked or left out."""

VERBS = words(
    """
    available below distributed dual dually follow follows licensed provided released
    """
)
"""One of these stands in such a sentence, and in no title."""

GENERIC = words(
    """
    a an approved expat full license licenses modified new original osi revised simplified software text the v
    version x11
    """
)
"""Words that stand in the title of a licence besides its name."""
