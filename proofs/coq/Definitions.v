(** * The words of the statements

    Every definition that a statement of [Statements.v] speaks of is here, and nothing else is: whoever reads this file
    and [Statements.v] knows what was proved. Probabilities are finite sums over the samples of a list of rows. *)

From Coq Require Import Reals List Bool Arith Permutation.
Import ListNotations.
Open Scope R_scope.

(** ** Sums and indicators *)

(** [sum h m] is h 0 + ... + h (m-1). *)
Fixpoint sum (h : nat -> R) (m : nat) : R :=
  match m with O => 0 | S m' => sum h m' + h m' end.

(** The sum over a finite list of outputs. *)
Fixpoint sum_over {A : Type} (h : A -> R) (l : list A) : R :=
  match l with nil => 0 | a :: l' => h a + sum_over h l' end.

Definition one (c : bool) : R := if c then 1 else 0.
Definition ind (c : bool) (r : R) : R := if c then r else 0.
Definition less (r s : R) : bool := if Rlt_dec r s then true else false.

(** ** The binomial law *)

(** [f b n j]: exactly j of n rows are sampled, each independently with probability b. *)
Fixpoint f (b : R) (n j : nat) : R :=
  match n with
  | O => match j with O => 1 | S _ => 0 end
  | S n' => (1 - b) * f b n' j + match j with O => 0 | S j' => b * f b n' j' end
  end.

(** [at_least b n m] is Pr[Bin(n, b) >= m]. *)
Definition at_least (b : R) (n m : nat) : R := 1 - sum (f b n) m.

(** [above b gamma n] is Pr[Bin(n, b) > gamma n], the number that Theorem 5 takes the maximum of. *)
Definition above (b gamma : R) (n : nat) : R :=
  sum (fun j => ind (less (gamma * INR n) (INR j)) (f b n j)) (S n).

(** gamma = (e^eps - 1 + beta)/e^eps. *)
Definition gamma (eps beta : R) : R := (exp eps - 1 + beta) / exp eps.

(** rho = beta e^(eps/gamma) / (e^eps - 1 + beta), the rate at which the tails fall. *)
Definition rho (eps beta : R) : R := beta * exp (eps / gamma eps beta) / (exp eps - 1 + beta).

(** ** Sampling, neighbours and privacy *)

Section Privacy.
Variable Row : Type.

(** The expectation of h over a sample of l: every row independently with probability b. *)
Fixpoint E (b : R) (l : list Row) (h : list Row -> R) : R :=
  match l with
  | nil => h nil
  | t :: l' => (1 - b) * E b l' h + b * E b l' (fun s => h (t :: s))
  end.

(** D has one row more than D', anywhere. *)
Definition neighbours (D D' : list Row) : Prop :=
  exists l t l', D = l ++ t :: l' /\ D' = l ++ l'.

(** One row of D is replaced by another. *)
Definition replaced (D D' : list Row) : Prop :=
  exists l t u l', D = l ++ t :: l' /\ D' = l ++ u :: l'.

(** p is e^eps = x and d close on sampled neighbours, in both directions. Here p T = Pr[A(T) in O] for one event O. *)
Definition private (b x d : R) (p : list Row -> R) : Prop :=
  forall D D', neighbours D D' -> E b D p <= x * E b D' p + d /\ E b D' p <= x * E b D p + d.

(** Definition 3 of Li, Qardaji and Su: (beta, eps, delta)-differential privacy under sampling. An algorithm A is the
    family of its probabilities, A O T = Pr[A(T) in O]. *)
Definition DPS {Event : Type} (b e d : R) (A : Event -> list Row -> R) : Prop :=
  d < b /\ forall O, private b (exp e) d (A O).

(** Definition 2: (eps, delta)-differential privacy, for either relation between datasets. *)
Definition DP {Event : Type} (related : list Row -> list Row -> Prop) (e d : R) (A : Event -> list Row -> R) : Prop :=
  forall O D D', related D D' -> A O D <= exp e * A O D' + d /\ A O D' <= exp e * A O D + d.

(** ** Algorithms with finitely many outputs: A T o = Pr[A(T) = o] *)

(** Pr[A(T) in O]. *)
Definition chance {Out : Type} (outs : list Out) (A : list Row -> Out -> R) (O : Out -> bool) (T : list Row) : R :=
  sum_over (fun o => ind (O o) (A T o)) outs.

(** A2 applied to the output of A1. *)
Definition afterwards {Out Out2 : Type} (outs : list Out) (A1 : list Row -> Out -> R) (A2 : Out -> Out2 -> R) :
  list Row -> Out2 -> R :=
  fun T o2 => sum_over (fun o => A1 T o * A2 o o2) outs.

(** The expectation of h over the outputs of n runs of A, each on a fresh sample. *)
Fixpoint runs {Out : Type} (outs : list Out) (A : list Row -> Out -> R) (b : R) (n : nat) (D : list Row)
  (h : list Out -> R) : R :=
  match n with
  | O => h nil
  | S n' => E b D (fun T => sum_over (fun o => A T o * runs outs A b n' D (fun os => h (o :: os))) outs)
  end.

(** The probability that n fresh samples of a single row all miss it. *)
Fixpoint missed (b : R) (t : Row) (n : nat) : R :=
  match n with
  | O => 1
  | S n' => E b [t] (fun s => one (length s =? 0)%nat * missed b t n')
  end.

(** ** Strongly safe k-anonymization: a fixed recoding g, and counts below k are dropped *)

Variable Cell : Type.
Variable eqb : Cell -> Cell -> bool.

(** How many rows of s are recoded to c. *)
Definition count (g : Row -> Cell) (c : Cell) (s : list Row) : nat := length (filter (fun r => eqb (g r) c) s).
Definition lump (k m : nat) : nat := if (m <? k)%nat then 0%nat else m.

(** Apply(g, s, k): how often each recoded value is released. *)
Definition release (g : Row -> Cell) (k : nat) (s : list Row) : Cell -> nat := fun c => lump k (count g c s).

(** The algorithm as the family of its probabilities. *)
Definition anonymize (g : Row -> Cell) (k : nat) (O : (Cell -> nat) -> bool) (T : list Row) : R :=
  one (O (release g k T)).

(** ** Theorem 6: the recoding is one of the list G, chosen with probabilities w, and is part of what is released *)

(** The choice is x1-close on neighbours: an eps1-safe first step, with x1 = e^eps1. *)
Definition safe (x1 : R) (w : list Row -> (Row -> Cell) -> R) : Prop :=
  forall D D', neighbours D D' -> forall g, w D g <= x1 * w D' g /\ w D' g <= x1 * w D g.

Definition choice (G : list (Row -> Cell)) (w : list Row -> (Row -> Cell) -> R) : Prop :=
  (forall T g, 0 <= w T g) /\ forall T, sum_over (w T) G = 1.

(** Two independent samples: the first, at rate b1, chooses the recoding of the second. *)
Definition two_samples (G : list (Row -> Cell)) (w : list Row -> (Row -> Cell) -> R) (k : nat) (b1 b : R)
  (O : (Row -> Cell) -> (Cell -> nat) -> bool) (D : list Row) : R :=
  sum_over (fun g => E b1 D (fun S => w S g) * E b D (anonymize g k (O g))) G.

(** Both steps on one sample, as printed. *)
Definition one_sample (G : list (Row -> Cell)) (w : list Row -> (Row -> Cell) -> R) (k : nat)
  (O : (Row -> Cell) -> (Cell -> nat) -> bool) (T : list Row) : R :=
  sum_over (fun g => w T g * anonymize g k (O g) T) G.

(** ** Crowd-blending privacy (Gehrke, Hay, Lui, Pass) *)

(** Rows t and u are interchangeable up to the factor x, in every dataset and for every event. *)
Definition alike {Event : Type} (x : R) (A : Event -> list Row -> R) (t u : Row) : Prop :=
  forall O l, A O (t :: l) <= x * A O (u :: l) /\ A O (u :: l) <= x * A O (t :: l).

(** At least k rows of s are alike to t: s splits, in some order, into k such rows and the others. *)
Definition crowd {Event : Type} (x : R) (A : Event -> list Row -> R) (k : nat) (t : Row) (s : list Row) : Prop :=
  exists c others, Permutation s (c ++ others) /\ (k <= length c)%nat /\ Forall (alike x A t) c.

(** Every row blends in a crowd of k, itself counted, or is ignored. *)
Definition crowd_blending {Event : Type} (k : nat) (x : R) (A : Event -> list Row -> R) : Prop :=
  forall t s, crowd x A k t (t :: s) \/ forall O, A O (t :: s) <= x * A O s /\ A O s <= x * A O (t :: s).

End Privacy.

(** ** Numbers *)

(** The tight delta of Theorem 5's algorithm for one row more: with p + 1 rows against p, the count k or more. *)
Definition gain (b x : R) (p k : nat) : R := at_least b (S p) k - x * at_least b p k.

(** The same for one row less: with p rows against p + 1, fewer than k. *)
Definition gain_less (b x : R) (p k : nat) : R := (1 - at_least b p k) - x * (1 - at_least b (S p) k).

(** Crowd-blending's delta for n look-alikes: the sum of (j/n) f(j; n, b) over j >= k, j > g n. *)
Definition blending_delta (b g : R) (k n : nat) : R :=
  sum (fun j => ind ((k <=? j)%nat && less (g * INR n) (INR j)) (INR j / INR n * f b n j)) (S n).

(** The parity of a sample, and whether the target is in it. *)
Definition parity {Row : Type} (T : list Row) : bool := Nat.odd (length T).
Definition sampled {Row : Type} (target : Row -> bool) (T : list Row) : bool := existsb target T.
