// Questions of newcomers, answered by the search of the built site: node .ci/search.js FOLDER
// Each must have its pages among the first five results, before the pages for developers.
const { readFileSync } = require("fs");
const vm = require("vm");

const call = "start/index", refused = "start/refused", signs = "explanation/why_this_sign";
const conventions = "explanation/conventions", pictures = "generated/reference/jointwrench.pictures.";
const QUESTIONS = {
  "torque of a motion": [call],
  "which torque does my motor need": [call],
  "reaction force in a joint": [call],
  "joint forces along a simulation": [call, "recipes/forward"],
  "what acts in a joint": [call],
  "bearing force": [call, "generated/tutorials/linkage"],
  "reaction without the motor": [call],
  "why is the moment so large": [call, "recipes/explain_a_peak"],
  "unknown load from the motion": [call],
  "write results to a file": [call],
  "export to pandas": [call],
  "derivative of a torque": [call],
  "external force": [call],
  "optimal control": [call],
  "how uncertain is the result": [call],
  "which function do I call": [call],
  "check my result": [call],
  "is my answer right": ["recipes/check_answer"],
  "KanesMethod": [call],
  "robot URDF": [call],
  "sign of a joint moment": [signs],
  "child or parent": [conventions, signs],
  "frame of the joint wrench": [conventions],
  "order of coordinates": [conventions],
  "units": [conventions],
  "NaN in the result": [refused],
  "no C compiler": [refused],
  "install": ["index"],
  "pydy system reaction forces": ["recipes/pydy_reactions"],
  "closed loop": ["recipes/loop"],
  "four bar linkage": ["generated/examples/four_bar"],
  "kinds of LoopJoint": ["generated/reference/jointwrench.LoopJoint"],
  "statically indeterminate": ["generated/tutorials/how_much_does_each_hinge_carry"],
  "undetermined forces": ["generated/tutorials/how_much_does_each_hinge_carry"],
  "free body diagram": [pictures + "plot_free_body"],
  "animation": [pictures + "animate"],
  "save a figure": ["reference/pictures"],
  "Coriolis force": ["generated/tutorials/teaching"],
  "inverse kinematics": ["recipes/markers_to_coordinates"],
  "forward dynamics": ["recipes/forward"],
  "friction": ["recipes/bearing_friction"],
  "force plate": ["recipes/gait_laboratory"],
  "muscle force": ["recipes/muscles"],
  "error bars": ["recipes/uncertain_moment"],
  "Jacobian": [call],
};
const LAST = ["project/changelog", "explanation/security", "explanation/core"];

const folder = process.argv[2];
const page = {
  DOCUMENTATION_OPTIONS: {}, URLSearchParams, console, setTimeout,
  document: { getElementById: () => null, documentElement: { dataset: {} }, addEventListener() {} },
  localStorage: { setItem() {}, getItem() {} }, _ready() {}, _: (text) => text,
};
page.window = page;
vm.createContext(page);
const load = (name) => vm.runInContext(readFileSync(`${folder}/${name}`, "utf8"), page);
for (const name of ["sphinx_highlight", "language_data", "searchtools"]) load(`_static/${name}.js`);
vm.runInContext("Search.setIndex = (index) => { Search._index = index; };", page);
load("searchindex.js");

function search(question) {
  page.question = question;
  const results = vm.runInContext("Search._performSearch(...Search._parseQuery(question))", page);
  return results.reverse().map((result) => result[0]);
}

let failed = 0;
for (const [question, answers] of Object.entries(QUESTIONS)) {
  const first = [...new Set(search(question))].slice(0, 5);
  const least = Math.max(...answers.map((answer) => (first.includes(answer) ? first.indexOf(answer) : 5)));
  const bad = least === 5 || LAST.some((x) => first.slice(0, least).includes(x));
  if (bad) console.log(`${question}: ${first.join(", ")} instead of ${answers.join(", ")}`);
  failed += bad;
}
const count = Object.keys(QUESTIONS).length;
console.log(`search: ${count - failed} of ${count} questions find their pages`);
process.exit(failed ? 1 : 0);
