// The order of search results: pages with answers first, pages for developers last.
var Scorer = {
  // Added to the score of a page that contains all words, by the longest beginning of its name.
  pages: {
    "start/": 16,
    "recipes/": 5,
    "recipes/index": 0,
    "generated/tutorials/": 4,
    "generated/tutorials/getting_started": 6,
    "explanation/": 3,
    "explanation/conventions": 6,
    "explanation/why_this_sign": 6,
    "explanation/core": -12,
    "explanation/extend": -12,
    "explanation/methods": -12,
    "explanation/second_derivatives": -12,
    "explanation/security": -12,
    "project/": -12
  },
  score: ([page, title, anchor, description, score, file, kind]) => {
    if (kind !== "text") return score;
    const beginnings = Object.keys(Scorer.pages).filter((x) => page.startsWith(x));
    const longest = beginnings.sort((one, other) => other.length - one.length)[0];
    return score + (Scorer.pages[longest] || 0);
  },
  // The other numbers are those of Sphinx.
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2
};
